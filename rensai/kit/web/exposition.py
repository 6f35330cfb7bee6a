"""Our numbers in the format that Prometheus reads."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from rensai.kit.web.metrics import BOUNDS, Gauge, Series

CONTENT_TYPE = "text/plain; version=0.0.4"
_REQUEST = ("process", "route", "method", "status")
_BOUND_NAMES = (*(str(bound) for bound in BOUNDS), "+Inf")


class ProcessFigures(msgspec.Struct):
    """All that one web process knows of itself."""

    process: str
    series: list[Series]
    gauges: list[Gauge]


class _Families(Collector):
    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def process_gauges() -> list[Gauge]:
    """Memory, processor time and open files of this process."""
    return [
        Gauge(sample.name, family.documentation, sample.value, counts=family.type == "counter")
        for family in ProcessCollector(registry=CollectorRegistry()).collect()
        for sample in family.samples
    ]


def expose(processes: Sequence[ProcessFigures], shared: Sequence[Gauge]) -> bytes:
    """The whole text: each web process under its own label, and what all of them share."""
    families: list[Metric] = [_requests(processes)]
    labelled = [
        Gauge(g.name, g.meaning, g.value, {"process": one.process, **g.labels}, g.counts)
        for one in processes
        for g in one.gauges
    ]
    families += _gauges([*labelled, *shared])
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(families))
    return generate_latest(registry)


def _requests(processes: Sequence[ProcessFigures]) -> Metric:
    family = HistogramMetricFamily(
        "rensai_http_request_seconds",
        "Answered requests and how long they took, by route template.",
        labels=_REQUEST,
    )
    for one in processes:
        for series in one.series:
            labels = (one.process, series.route, series.method, series.status)
            family.add_metric(labels, list(_cumulative(series.buckets)), series.seconds)
    return family


def _cumulative(buckets: Sequence[int]) -> Iterator[tuple[str, float]]:
    total = 0
    for name, count in zip(_BOUND_NAMES, buckets, strict=True):
        total += count
        yield name, total


def _gauges(gauges: Sequence[Gauge]) -> list[Metric]:
    families: dict[str, Metric] = {}
    for gauge in gauges:
        family = families.get(gauge.name)
        if family is None:
            kind = CounterMetricFamily if gauge.counts else GaugeMetricFamily
            family = families[gauge.name] = kind(gauge.name, gauge.meaning)
        family.add_sample(gauge.name, gauge.labels, gauge.value)
    return list(families.values())
