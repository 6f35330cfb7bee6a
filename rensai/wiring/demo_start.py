"""Starts the demo and says where to look. Kept apart from the library: the supervisor is small."""

import json
import sys
from dataclasses import replace

from rensai.config import Config, explain_one, load, write_record
from rensai.wiring.serve import Tree
from rensai.wiring.supervisor import Role


def start_demo() -> int:
    """Run the demo until it is stopped; gives the exit code."""
    # What an earlier demo recorded does not count: the same command does the same thing.
    config = _quiet(load(record=False))
    write_record(
        {
            "RENSAI_DATA_DIR": str(config.data_dir),
            "PORT": str(config.port),
            "BASE_URL": config.base_url,
        }
    )
    _tell(f"Starting Rensai in {config.data_dir}")

    def announce(prepared: str, ready: bool) -> None:  # noqa: FBT001 - a callback of the tree
        _announce(config, prepared, ready=ready)

    library = Role("The filling of the library", ("rensai.wiring.serve_child", "demo"), once=True)
    return Tree(
        config, prepare=("demo",), progress=_progress, announce=announce, afterwards=(library,)
    ).run()


def _quiet(config: Config) -> Config:
    """Who looks at a demo wants to read the password, not a line for each request."""
    chosen = explain_one("log_level").source != "default"
    return config if chosen else replace(config, log_level="warning")


def _announce(config: Config, prepared: str, *, ready: bool) -> None:
    welcome: dict[str, str] = json.loads(prepared)
    lines: list[str] = []
    if ready:
        lines += ["", f"Rensai is running at {config.base_url}"]
    if welcome["password"]:
        lines += [
            "",
            "Sign in as the administrator; this is shown only now:",
            f"  name            {welcome['name']}",
            f"  password        {welcome['password']}",
            f"  recovery words  {welcome['words']}",
        ]
    if ready:
        lines += ["", "Press Ctrl-C to stop everything.", ""]
    if lines:
        _tell("\n".join(lines))


def _progress(message: str) -> None:
    _tell(f"  {message}")


def _tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
