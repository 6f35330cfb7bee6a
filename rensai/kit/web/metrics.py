"""How many requests of which kind this process has answered, and how fast."""

from bisect import bisect_left
from collections.abc import Iterable

import msgspec

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of the latency buckets, in seconds; what took longer falls in one more."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Series(msgspec.Struct):
    """All requests to one route with one method and one class of status."""

    route: str
    method: str
    status: str
    buckets: list[int]
    seconds: float = 0.0


class Gauge(msgspec.Struct, frozen=True):
    """A number with its name, as Prometheus shows it."""

    name: str
    meaning: str
    value: float
    labels: dict[str, str] = {}
    counts: bool = False


class HttpMetrics:
    """Counts by route template, so that the number of series is bounded by the route table."""

    def __init__(self) -> None:
        self._series: dict[tuple[str, str, int], Series] = {}

    def record(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one finished request."""
        key = (route, method, status // 100)
        series = self._series.get(key)
        if series is None:
            if method not in _METHODS:
                method = "OTHER"
                key = (route, method, status // 100)
            series = self._series.setdefault(
                key, Series(route, method, f"{status // 100}xx", [0] * (len(BOUNDS) + 1))
            )
        series.buckets[bisect_left(BOUNDS, seconds)] += 1
        series.seconds += seconds

    def series(self) -> Iterable[Series]:
        """Everything counted so far."""
        return self._series.values()
