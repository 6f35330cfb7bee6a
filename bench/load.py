"""Load over HTTP by wrk: one thread and 16 clients, so that it leaves the cores to the server."""

import json
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.harness import Sample, wait_until

CLIENTS = 16
_APT = Path(__file__).parent.parent / "scripts" / "apt.sh"

_REPORT = """
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests":%d,"micros":%d,"bad":%d,"p50":%f,"p95":%f,"p99":%f}\\n',
    summary.requests, summary.duration,
    e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency:percentile(99) / 1000))
end
"""

_REQUEST = """
function request()
  return wrk.format(nil, path())
end
"""


class LoadError(Exception):
    """The server did not answer as it should."""


def ensure_wrk() -> None:
    """wrk is in Debian; where it cannot be installed, say so."""
    if shutil.which("wrk") is None:
        done = subprocess.run(["sh", str(_APT), "wrk"], check=False)
        if done.returncode:
            raise LoadError("wrk is missing; install it (Debian: apt-get install wrk)")


def requests_per_second(
    url: str,
    *,
    seconds: int = 4,
    clients: int = CLIENTS,
    headers: Mapping[str, str] | None = None,
    paths: str = "",
) -> Callable[[], Sample]:
    """A measure for `Contender`: requests per second to one address, with latencies.

    `paths` is the body of a Lua function that gives the path of each request, where they differ.
    """
    request = f"function path()\n{paths}\nend\n{_REQUEST}" if paths else ""
    sent = [f"-H{name}: {value}" for name, value in (headers or {}).items()]

    def measure() -> Sample:
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(request + _REPORT)
            script.flush()
            command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "-s", script.name]
            command += [*sent, url]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        report = json.loads(done.stdout.strip().splitlines()[-1])
        if report["bad"]:
            raise LoadError(f"{report['bad']} of {report['requests']} requests failed at {url}")
        latencies = {f"{name} ms": report[name] for name in ("p50", "p95", "p99")}
        return Sample([report["requests"] / report["micros"] * 1e6], latencies)

    return measure


def fetch(url: str, headers: Mapping[str, str] | None = None) -> bytes:
    """The body of one answer."""
    asked = urllib.request.Request(url, headers=dict(headers or {}))  # noqa: S310 - our own server
    with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310 - our own server
        return answer.read()


def tag_of(url: str) -> str:
    """The ETag of one answer."""
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - our own server
        return str(answer.headers["ETag"])


def wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until a server answers; if it ends instead, show what it said."""

    def answers() -> bool:
        if process.poll() is not None:
            raise LoadError(f"the server at {url} ended:\n{log.read_text()[-3000:]}")
        try:
            fetch(url)
        except (OSError, urllib.error.URLError):
            return False
        return True

    wait_until(answers, seconds=60, what=f"an answer from {url}")
