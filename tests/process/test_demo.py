"""The demo, in a virtual environment of its own so that it records nothing in ours."""

import os
import re
import signal
import subprocess
from pathlib import Path

from tests.process.site import Site, bare_environment, eventually


def test_the_demo_says_where_to_look_and_tells_the_password_once(
    demo: Site, other_python: Path
) -> None:
    demo.start("demo")
    demo.wait_for_page("/")
    assert eventually(lambda: "Press Ctrl-C" in demo.said())
    told = demo.said()
    assert f"Rensai is running at http://127.0.0.1:{demo.port}" in told
    password = re.search(r"password +(\S{16})$", told, re.MULTILINE)
    assert password, told
    assert "Applying 0001_" in told
    _check_the_record(demo, other_python)
    os.killpg(demo.running.pid, signal.SIGINT)
    assert demo.running.wait(30) == 0
    assert "Stopping; a second signal does so at once" in demo.said()
    assert demo.leftovers() == []

    demo.log.unlink()
    demo.start("demo")
    demo.wait_for_page("/")
    assert eventually(lambda: "Press Ctrl-C" in demo.said())
    assert "password" not in demo.said()
    assert "Applying" not in demo.said()
    assert demo.end() == 0


def _check_the_record(demo: Site, python: Path) -> None:
    """Without a setting, a command of the same environment finds the demo's data folder."""
    show = [str(python), "-P", "-m", "rensai", "config", "show", "--changed"]
    told = subprocess.run(
        show, env=bare_environment(), capture_output=True, text=True, check=True
    ).stdout
    assert f"RENSAI_DATA_DIR = {demo.data_dir}   [the demo's record, " in told
    assert f"PORT = {demo.port}" in told


def test_a_password_is_told_even_when_the_demo_is_stopped_while_it_starts(demo: Site) -> None:
    demo.start("demo")
    assert eventually(lambda: "Creating the administrator" in demo.said())
    demo.running.send_signal(signal.SIGTERM)
    assert demo.running.wait(30) == 0
    assert re.search(r"password +(\S{16})$", demo.said(), re.MULTILINE)
    assert "Rensai is running" not in demo.said()
    assert demo.leftovers() == []
