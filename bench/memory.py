"""Memory of a whole site at rest, the database included, shared pages counted once."""

import time

from bench.harness import Contender, Sample, Target, compare
from bench.tree import data_folder, proportional_memory, site

LIMIT_MIB = 350.0
SETTLE_SECONDS = 5.0


def run() -> bool:
    """Whether the target is reached."""
    with data_folder() as folder, site(folder / "data") as (process, _):
        time.sleep(SETTLE_SECONDS)
        parts = proportional_memory(process.pid)

        def measure(name: str) -> Sample:
            sizes = proportional_memory(process.pid)
            return Sample([sum(sizes.values()) if name == "everything" else sizes[name]])

        names = ("everything", *sorted(parts))
        outcome = compare(
            "memory",
            "Memory at rest (PSS)",
            [Contender(name, lambda name=name: measure(name)) for name in names],
            baseline="everything",
            unit="MiB",
            target=Target("everything", LIMIT_MIB, of="worst", at_least=False),
            rounds=3,
            more_is_better=False,
        )
    return bool(outcome.reached)
