"""From the command to the first page: on an empty folder, and on one that is there already."""

import shutil
from pathlib import Path

from bench.harness import Contender, Sample, Target, compare
from bench.tree import data_folder, site

WARM_SECONDS = 5.0


def run() -> bool:
    """Whether the target is reached."""
    with data_folder() as folder:

        def cold() -> Sample:
            shutil.rmtree(folder / "cold", ignore_errors=True)
            return _seconds(folder / "cold")

        def warm() -> Sample:
            return _seconds(folder / "warm")

        outcome = compare(
            "start",
            "Start to first page, embedded database included",
            [Contender("warm", warm), Contender("cold", cold)],
            baseline="warm",
            unit="s",
            target=Target("warm", WARM_SECONDS, of="p95", at_least=False),
            more_is_better=False,
        )
    return bool(outcome.reached)


def _seconds(data_dir: Path) -> Sample:
    with site(data_dir) as (_, seconds):
        return Sample([seconds])
