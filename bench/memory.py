"""Memory of the demo at rest, just filled, the database included, shared pages counted once."""

import time

from bench.harness import Contender, Sample, Target, compare
from bench.tree import data_folder, filled_demo, proportional_memory

LIMIT_MIB = 350.0
SETTLE_SECONDS = 20.0


def run() -> bool:
    """Whether the target is reached."""
    with data_folder() as folder, filled_demo(folder / "data") as process:
        time.sleep(SETTLE_SECONDS)
        parts = proportional_memory(process.pid)

        def measure(name: str) -> Sample:
            sizes = proportional_memory(process.pid)
            return Sample([sum(sizes.values()) if name == "everything" else sizes[name]])

        names = ("everything", *sorted(parts))
        outcome = compare(
            "memory",
            "Memory of the demo at rest, after it has filled its library (PSS)",
            [Contender(name, lambda name=name: measure(name)) for name in names],
            baseline="everything",
            unit="MiB",
            target=Target("everything", LIMIT_MIB, of="worst", at_least=False),
            rounds=3,
            more_is_better=False,
        )
    return bool(outcome.reached)
