"""`python -m bench` measures every case, `python -m bench NAME ...` those that are named."""

import importlib
import sys

CASES = ("empty_route", "list_route", "tasks", "start", "memory")


def main(names: list[str]) -> int:
    """Run cases; each is a module of this package with a function `run`."""
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print(f"no case is called {', '.join(unknown)}; there are {', '.join(CASES)}")
        return 2
    missed = [name for name in names or CASES if not importlib.import_module(f"bench.{name}").run()]
    if missed:
        print(f"\ntargets missed: {', '.join(missed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
