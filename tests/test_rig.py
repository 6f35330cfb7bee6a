"""The test rig itself: whole, quick to start, and startable as a server."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from tests.browser.site import Site
from tests.rig import Rig

pytestmark = pytest.mark.anyio


async def test_the_whole_application_answers(rig: Rig) -> None:
    assert (await rig.get("/readyz")).status_code == 200
    assert (await rig.get("/nowhere")).status_code == 404


async def test_an_administrator_signs_in_and_another_visitor_is_nobody(rig: Rig) -> None:
    await rig.create_admin()
    await rig.sign_in()
    async with rig.visitor() as other:
        assert (await rig.get("/admin")).status_code == 200
        assert (await other.get("/admin")).status_code != 200


async def test_due_tasks_run_when_told(rig: Rig) -> None:
    await rig.work()


async def test_a_real_server_answers(server: Site) -> None:
    async with httpx.AsyncClient() as visitor:
        assert (await visitor.get(f"{server.url}/healthz")).status_code == 200


@pytest.fixture
def started() -> Iterator["subprocess.Popen[str]"]:
    """The rig in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.rig"], stdout=subprocess.PIPE, text=True
    )
    yield process
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0


def test_it_can_be_started_as_a_server(started: "subprocess.Popen[str]") -> None:
    assert started.stdout is not None
    found = re.match(r"http://[\d.:]+", started.stdout.readline())
    assert found
    assert httpx.get(f"{found[0]}/readyz").status_code == 200
