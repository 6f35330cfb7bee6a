"""Questions that many ask at once are put once, and nobody gets an answer older than the asking."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from rensai.kit.db import Database, Reads
from rensai.kit.lookups import MOST_AT_ONCE, Lookups

pytestmark = pytest.mark.anyio


class Answers:
    """Knows the square of every key but 13, when it is let go on."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.go = asyncio.Event()
        self.go.set()
        self.square: Callable[[int], int] = lambda n: n * n

    async def __call__(self, reads: Reads, keys: list[int]) -> Mapping[int, int]:
        del reads
        self.asked.append(sorted(keys))
        square = self.square
        await self.go.wait()
        return {key: square(key) for key in keys if key != 13}


@pytest.fixture
def lookups(database: Database) -> Lookups:
    return Lookups(database.replica)


async def test_those_who_ask_together_cause_one_question(lookups: Lookups) -> None:
    answers = Answers()
    found = await asyncio.gather(*(lookups.ask(answers, n % 20) for n in range(100)))
    assert answers.asked == [list(range(20))]
    assert found == [None if n % 20 == 13 else (n % 20) ** 2 for n in range(100)]


async def test_who_asks_while_a_question_is_under_way_is_in_the_next(lookups: Lookups) -> None:
    answers = Answers()
    answers.go.clear()
    first = asyncio.ensure_future(lookups.ask(answers, 2))
    await asyncio.sleep(0.01)
    answers.square = lambda n: -n  # what has changed by now, the second one must see
    second = asyncio.ensure_future(lookups.ask(answers, 2))
    await asyncio.sleep(0.01)
    answers.go.set()
    assert (await first, await second) == (4, -2)
    assert answers.asked == [[2], [2]]


async def test_different_questions_do_not_wait_for_each_other(lookups: Lookups) -> None:
    slow, quick = Answers(), Answers()
    slow.go.clear()
    waiting = asyncio.ensure_future(lookups.ask(slow, 1))
    assert await lookups.ask(quick, 3) == 9
    assert not waiting.done()
    slow.go.set()
    assert await waiting == 1


async def test_very_many_keys_go_in_several_questions(lookups: Lookups) -> None:
    answers = Answers()
    count = MOST_AT_ONCE + 50
    await asyncio.gather(*(lookups.ask(answers, n) for n in range(count)))
    assert [len(keys) for keys in answers.asked] == [MOST_AT_ONCE, 50]


async def test_an_error_goes_to_all_who_asked_and_to_nobody_later(lookups: Lookups) -> None:
    answers = Answers()

    def fail(n: int) -> int:
        raise LookupError(f"no square of {n}")

    answers.square = fail
    found = await asyncio.gather(*(lookups.ask(answers, n) for n in (1, 2)), return_exceptions=True)
    assert [type(one) for one in found] == [LookupError, LookupError]
    answers.square = abs
    assert await lookups.ask(answers, 5) == 5


async def test_who_gives_up_takes_nothing_from_the_others(lookups: Lookups) -> None:
    answers = Answers()
    answers.go.clear()
    impatient = asyncio.ensure_future(lookups.ask(answers, 4))
    patient = asyncio.ensure_future(lookups.ask(answers, 4))
    await asyncio.sleep(0.01)
    impatient.cancel()
    answers.go.set()
    async with asyncio.timeout(5):
        assert await patient == 16
        assert await lookups.ask(answers, 5) == 25
