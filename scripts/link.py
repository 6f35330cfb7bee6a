"""Put this checkout into the virtual environment it is run with: importable, and on its path.

An editable install would do the same, but builds the package first, which needs more than the
locked dependencies.
"""

import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Write the path file and the `rensai` command."""
    if sys.prefix == sys.base_prefix:
        sys.exit("link.py: run me with the Python of a virtual environment")
    packages = Path(sysconfig.get_path("purelib"))
    (packages / "rensai-checkout.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    command = Path(sys.prefix) / "bin" / "rensai"
    python = str(Path(sys.prefix) / "bin" / "python").replace("'", "'\\''")
    command.write_text(f"#!/bin/sh\nexec '{python}' -P -m rensai \"$@\"\n", encoding="utf-8")
    command.chmod(0o755)


if __name__ == "__main__":
    main()
