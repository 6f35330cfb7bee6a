"""`python -m bench` measures every case but the long ones, which `python -m bench NAME` names."""

import importlib
import sys

CASES = (
    *("empty_route", "list_route", "tasks", "start", "memory"),
    *("ingest", "ingest_acceptance", "ingest_largest"),
)
LONG = ("ingest_soak", "ingest_large", "reading", "search", "search_judged", "shelf")


def main(names: list[str]) -> int:
    """Run cases; each is a module of this package with a function `run`."""
    unknown = [name for name in names if name not in {*CASES, *LONG}]
    if unknown:
        print(f"no case is called {', '.join(unknown)}; there are {', '.join(CASES + LONG)}")
        return 2
    missed = [name for name in names or CASES if not importlib.import_module(f"bench.{name}").run()]
    if missed:
        print(f"\ntargets missed: {', '.join(missed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
