"""Workers and askers killed at random moments under load: nothing is lost, nothing is stuck."""

import subprocess
import sys

SEED = 20_261_118


def test_a_few_crashes_under_load_lose_nothing() -> None:
    command = [sys.executable, "-m", "bench.task_crashes", "10", str(SEED)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(line.split() for line in done.stdout.splitlines())
    assert int(counts["asked"]) > 100
    assert int(counts["changes"]) > 10
