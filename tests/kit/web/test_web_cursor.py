"""Cursors are opaque, and nobody can make or change one."""

import base64
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.errors import InvalidCursor
from rensai.kit.web import cursor
from rensai.kit.web.paging import page_of

SECRET = "s" * 64
LIST = cursor.kind("series", "updated", None)

Key = tuple[datetime, int, str, UUID, float, Decimal, bool, None]
TYPES = (datetime, int, str, UUID, float, Decimal, bool, type(None))

keys: st.SearchStrategy[Key] = st.tuples(
    st.datetimes(
        min_value=datetime(1, 1, 2),  # noqa: DTZ001 - the strategy adds the zone
        max_value=datetime(9999, 12, 30),  # noqa: DTZ001
        timezones=st.just(UTC),
    ),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.uuids(),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)


def refused(text: str, kind: str = LIST, types: tuple[type, ...] = (int,)) -> bool:
    try:
        cursor.decode(SECRET, kind, text, types)
    except InvalidCursor:
        return True
    return False


@given(keys)
def test_a_cursor_comes_back_as_it_went(key: Key) -> None:
    text = cursor.encode(SECRET, LIST, key)
    assert cursor.decode(SECRET, LIST, text, TYPES) == key
    assert text.isascii()
    assert all(mark.isalnum() or mark in "-_" for mark in text)


@given(st.integers(0, 2**40), st.data())
def test_a_single_changed_character_is_refused(value: int, data: st.DataObject) -> None:
    text = cursor.encode(SECRET, LIST, (value,))
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters().filter(lambda mark: mark != text[place]))
    assert refused(text[:place] + other + text[place + 1 :])


def test_every_single_changed_byte_is_refused() -> None:
    text = cursor.encode(SECRET, LIST, (datetime(2026, 1, 2, tzinfo=UTC), 7))
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    for place in range(len(raw)):
        for change in range(1, 256):
            changed = bytearray(raw)
            changed[place] ^= change
            again = base64.urlsafe_b64encode(bytes(changed)).rstrip(b"=").decode()
            assert refused(again, types=(datetime, int))


@given(st.integers(0, 2**40), st.data())
def test_a_cursor_cut_or_lengthened_is_refused(value: int, data: st.DataObject) -> None:
    text = cursor.encode(SECRET, LIST, (value,))
    assert refused(text[: data.draw(st.integers(0, len(text) - 1))])
    assert refused(text + "=" * data.draw(st.integers(1, 3)))
    assert refused(text + data.draw(st.text(min_size=1, max_size=9)))
    assert refused(data.draw(st.text(min_size=1, max_size=3)) + text)


@given(st.text(max_size=1200))
def test_whatever_somebody_makes_up_is_refused(text: str) -> None:
    assert refused(text)


def test_a_cursor_is_good_for_one_list_with_its_sort_and_filters() -> None:
    text = cursor.encode(SECRET, LIST, (1,))
    assert not refused(text)
    for other in (
        cursor.kind("series", "popular", None),
        cursor.kind("series", "updated", "local"),
        cursor.kind("series", "updated"),
        cursor.kind("series", "updated", None, None),
        cursor.kind("chapters", "updated", None),
    ):
        assert refused(text, other)


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_two_lists_never_have_one_name(one: list[str], other: list[str]) -> None:
    assert (cursor.kind("x", *one) == cursor.kind("x", *other)) == (one == other)


def test_a_cursor_of_another_server_is_refused() -> None:
    assert refused(cursor.encode("t" * 64, LIST, (1,)))


def test_a_cursor_that_holds_other_types_is_refused() -> None:
    text = cursor.encode(SECRET, LIST, ("one",))
    assert refused(text)
    assert refused(cursor.encode(SECRET, LIST, (1, 2)))
    assert refused(cursor.encode(SECRET, LIST, ()))


def test_a_cursor_is_short_enough_for_an_address() -> None:
    key = (datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC), 2**62)
    assert len(cursor.encode(SECRET, LIST, key)) <= 64


@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_a_page_says_whether_there_is_more(rows: int) -> None:
    page = page_of(list(range(rows)), 2, lambda last: f"after {last}")
    assert page.items == list(range(min(rows, 2)))
    assert page.has_more == (rows > 2)
    assert page.next_cursor == ("after 1" if rows > 2 else None)
    assert set(msgspec.to_builtins(page)) == {"items", "nextCursor", "hasMore"}
