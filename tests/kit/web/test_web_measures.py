"""What is counted and logged: by route and never by path, and nothing secret."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from rensai.kit.web.access_log import FLUSH_SECONDS
from rensai.kit.web.exposition import ProcessFigures, expose, process_gauges
from rensai.kit.web.metrics import Gauge, HttpMetrics
from rensai.kit.web.siblings import Siblings
from tests.kit.web.front import Front

pytestmark = pytest.mark.anyio


def counted(front: Front) -> dict[tuple[str, str, str], int]:
    return {(s.route, s.method, s.status): sum(s.buckets) for s in front.metrics.series()}


async def test_requests_are_counted_by_route(front: Front, client: httpx.AsyncClient) -> None:
    for number in range(20):
        await client.get(f"/api/v1/things/{number}")
    await client.head("/api/v1/things/1")
    await client.get("/api/v1/boom")
    await client.get("/api/v1/clash")
    assert counted(front) == {
        ("/api/v1/things/{number}", "GET", "2xx"): 20,
        ("/api/v1/things/{number}", "HEAD", "2xx"): 1,
        ("/api/v1/boom", "GET", "5xx"): 1,
        ("/api/v1/clash", "GET", "4xx"): 1,
    }


async def test_nobody_can_make_series_without_end(front: Front, client: httpx.AsyncClient) -> None:
    for number in range(60):
        await client.get(f"/nowhere/{number}")
        await client.request(f"M{number}", "/api/v1/empty")
        await client.request(f"M{number}", f"/nowhere/{number}")
        await client.get("/%00")
        await client.options(
            f"/api/v1/{number}", headers={"origin": "x", "access-control-request-method": "GET"}
        )
    assert len(counted(front)) <= 8
    assert sum(counted(front).values()) == 300


async def test_each_request_is_a_line_that_machines_can_read(
    front: Front, client: httpx.AsyncClient
) -> None:
    answer = await client.get("/api/v1/things/7?token=swordfish&size=2")
    await client.get("/api/v1/boom", headers={"authorization": "Bearer swordfish"})
    await client.get("/nowhere%0Awith a break")
    front.access_log.flush()
    lines = [json.loads(line) for line in front.lines.getvalue().splitlines()]
    assert len(lines) == 3
    first = lines[0]
    assert first["path"] == "/api/v1/things/7"
    assert first["route"] == "/api/v1/things/{number}"
    assert (first["status"], first["method"], first["client"]) == (200, "GET", "192.0.2.7")
    assert first["bytes"] == len(answer.content)
    assert first["request_id"] == answer.headers["x-request-id"]
    assert 0 < first["ms"] < 1000
    assert first["time"].endswith("Z")
    assert [line["level"] for line in lines] == ["info", "warning", "info"]
    assert "swordfish" not in front.lines.getvalue()


async def test_lines_are_written_without_being_asked(
    front: Front, client: httpx.AsyncClient
) -> None:
    await client.get("/api/v1/empty")
    await asyncio.sleep(FLUSH_SECONDS + 0.1)
    assert len(front.lines.getvalue().splitlines()) == 1


async def test_a_quiet_log_holds_only_what_went_wrong() -> None:
    front = Front(level="warning")
    async with front.client() as client:
        await client.get("/api/v1/empty")
        await client.get("/api/v1/boom")
    front.access_log.flush()
    (line,) = front.lines.getvalue().splitlines()
    assert json.loads(line)["status"] == 500


async def test_a_log_that_cannot_be_written_stops_nobody(front: Front) -> None:
    front.lines.close()
    async with front.client() as client:
        assert (await client.get("/api/v1/empty")).status_code == 200
    front.access_log.flush()


def test_the_text_is_what_prometheus_reads() -> None:
    metrics = HttpMetrics()
    for seconds in (0.0004, 0.02, 99.0):
        metrics.record('/a"b\\c{x}', "GET", 200, seconds)
    gauges = [Gauge("rensai_pool", "A pool.", 3.0, {"pool": "primary"}), *process_gauges()]
    both = [
        ProcessFigures("1", list(metrics.series()), gauges),
        ProcessFigures("2", list(metrics.series()), gauges),
    ]
    text = expose(both, [Gauge("rensai_done_total", "Done.", 5.0, {"task": "x"}, counts=True)])
    families = {family.name: family for family in text_string_to_metric_families(text.decode())}
    buckets = {
        (sample.labels["process"], sample.labels["le"]): sample.value
        for sample in families["rensai_http_request_seconds"].samples
        if sample.name.endswith("_bucket")
    }
    for process in ("1", "2"):
        assert buckets[process, "0.001"] == 1
        assert buckets[process, "0.025"] == 2
        assert buckets[process, "10.0"] == 2
        assert buckets[process, "+Inf"] == 3
    assert {sample.labels["process"] for sample in families["rensai_pool"].samples} == {"1", "2"}
    assert families["process_resident_memory_bytes"].samples[0].value > 1_000_000
    assert families["rensai_done"].samples[0].value == 5


async def test_processes_see_what_their_siblings_have_counted(tmp_path: Path) -> None:
    own = ProcessFigures(str(os.getpid()), [], [])
    siblings = Siblings(tmp_path, lambda: own)
    folder = tmp_path / str(os.getppid())
    async with siblings.published():
        await asyncio.sleep(0.05)
        mine = folder / f"{os.getpid()}.json"
        assert json.loads(mine.read_bytes())["process"] == own.process
        # Our parent stands for a sibling that lives, the greatest number for one that does not.
        other = mine.read_bytes().replace(own.process.encode(), b"parent")
        (folder / f"{os.getppid()}.json").write_bytes(other)
        (folder / "4194304.json").write_bytes(other.replace(b"parent", b"dead"))
        (folder / f"{os.getppid()}.json.new").write_bytes(b"half")
        assert [one.process for one in siblings.figures()] == [own.process, "parent"]
        (folder / f"{os.getppid()}.json").write_bytes(b"half")
        assert [one.process for one in siblings.figures()] == [own.process]
    assert not mine.exists()


async def test_what_killed_processes_left_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / "4194304" / "4194305.json"
    left.parent.mkdir()
    left.write_bytes(b"{}")
    beside = tmp_path / str(os.getppid()) / "4194304.json"
    beside.parent.mkdir()
    beside.write_bytes(b"{}")
    async with Siblings(tmp_path, lambda: ProcessFigures("1", [], [])).published():
        assert not left.parent.exists()
        assert not beside.exists()


def test_nothing_is_loaded_that_only_others_need() -> None:
    """Pydantic is installed for another package's sake; ten megabytes are saved without it."""
    program = (
        "import sys\n"
        "from tests.kit.web.front import Front\n"
        "Front()\n"
        "print([name for name in sys.modules if name.startswith('litestar.plugins.')"
        " and name.split('.')[2] in {'attrs', 'pydantic'}], 'pydantic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[] False"
