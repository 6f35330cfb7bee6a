"""The command line: what failed, why, and what can be done about it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rensai.kit.command import Shell
from rensai.kit.services import Services
from rensai.kit.tasks import Retry, TaskContext, task
from rensai.kit.tasks.cli import tasks
from tests.kit.tasks.workshop import N, Workshop, until
from tests.rig import open_database

pytestmark = pytest.mark.anyio

mended: list[int] = []


@task(retry=Retry(attempts=2, first=timedelta(milliseconds=10)))
async def breaks(context: TaskContext, args: N) -> None:
    if args.n not in mended:
        raise ValueError(f"chapter {args.n}\nis broken")


class Terminal:
    """Runs commands as a shell does, each with services of its own."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop

    async def run(self, *words: object, code: int = 0) -> Result:
        shell = Shell(self._open)
        result = await asyncio.to_thread(self._invoke, [str(word) for word in words], shell)
        assert result.exit_code == code, result.output
        return result

    async def json(self, *words: object, code: int = 0) -> Any:
        return json.loads((await self.run(*words, "--json", code=code)).stdout)

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[Services]:
        mine = self.workshop.services
        db = await open_database(self.workshop.db.queue.url)
        yield Services(
            config=mine.config, db=db, clock=mine.clock, cache=mine.cache, limits=mine.limits
        )
        await db.close()

    def _invoke(self, words: Sequence[str], shell: Shell) -> Result:
        return CliRunner().invoke(tasks, words, obj=shell, catch_exceptions=False)


@pytest.fixture
async def terminal(workshop: Workshop) -> Terminal:
    """A terminal before a queue in which three tasks have died."""
    mended.clear()
    async with workshop.working(breaks):
        for n in (1, 2, 3):
            await workshop.ask(breaks, n)
        await until(lambda: workshop.dead_is_there(3))
    return Terminal(workshop)


async def test_an_operator_sees_what_died_and_why(terminal: Terminal) -> None:
    listed = await terminal.json("list", "--limit", 2)
    assert len(listed) == 2
    assert {one["task"] for one in listed} == {breaks.name}
    found = await terminal.json("show", listed[0]["id"])
    assert found["attempts"] == 2
    assert found["error"].startswith("ValueError: chapter")
    assert "in breaks" in found["traceback"]
    assert json.loads(found["payload"])["n"] in {1, 2, 3}
    text = (await terminal.run("list")).output
    assert text.count(breaks.name) == 3
    assert "is broken" not in text
    text = (await terminal.run("show", listed[0]["id"])).output
    assert "Traceback" in text
    assert '{"n":' in text
    missing = await terminal.run("show", 999_999, code=1)
    assert "there is no dead letter 999999" in missing.output


async def test_a_dead_letter_is_retried_with_all_its_attempts(terminal: Terminal) -> None:
    listed = await terminal.json("list")
    chosen = [one["id"] for one in listed[:2]]
    assert await terminal.json("retry", *chosen) == {"retried": sorted(chosen), "missing": []}
    waiting = await terminal.workshop.queue()
    assert waiting == [(n, "queued", 0) for n in sorted(chosen)]
    mended.extend([1, 2, 3])
    async with terminal.workshop.working(breaks):

        async def empty() -> bool:
            return await terminal.workshop.queue() == []

        await until(empty)
    assert len(await terminal.json("list")) == 1


async def test_dead_letters_are_purged_only_when_that_is_said_aloud(terminal: Terminal) -> None:
    refused = await terminal.run("purge", code=2)
    assert "say which" in refused.output
    wrong = await terminal.run("purge", "--older-than", "soon", code=2)
    assert "90s, 15m, 6h or 7d" in wrong.output
    assert (await terminal.json("purge", "--older-than", "1d"))["purged"] == []
    assert (await terminal.json("purge", "--task", "other"))["purged"] == []
    listed = await terminal.json("list")
    one = listed[0]["id"]
    answer = await terminal.json("purge", one, 999_999, code=1)
    assert answer == {"purged": [one], "missing": [999_999]}
    assert "purged 2" in (await terminal.run("purge", "--all")).output
    assert await terminal.json("list") == []
    assert "no dead letters" in (await terminal.run("list")).output


async def test_the_status_counts_what_waits_and_what_has_ended(terminal: Terminal) -> None:
    await terminal.workshop.ask(breaks, 9)
    found = await terminal.json("status")
    assert [(one["task"], one["due"]) for one in found["waiting"]] == [(breaks.name, 1)]
    assert {one["outcome"]: one["count"] for one in found["ended"]} == {"retried": 3, "died": 3}
    assert found["dead"] == 3
    text = (await terminal.run("status")).output
    assert "3 dead" in text
    assert breaks.name in text
