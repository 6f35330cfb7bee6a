"""Showing what matched: the text as HTML, with `mark` around the words that were looked for."""

from collections.abc import Sequence
from html import escape

from rensai.rooms.search.adapters.folding import is_unspaced, spans

_EXCERPT = 240
_BEFORE = 60
_WORD = 30


def marked(text: str, words: Sequence[str]) -> str | None:
    """The text with its matches marked, or None when there is none in it."""
    found = _matches(text, words)
    return _render(text, found) if found else None


def excerpt(text: str, words: Sequence[str]) -> str | None:
    """The part of a long text around its first match, marked; None when there is none."""
    found = _matches(text, words)
    if not found:
        return None
    # Not in the middle of a word, where words have spaces between them.
    start = max(0, found[0][0] - _BEFORE)
    if start:
        start = text.rfind(" ", max(0, start - _WORD), start) + 1 or start
    end = max(start + _EXCERPT, found[0][1])
    if end < len(text):
        space = text.rfind(" ", max(end - _WORD, found[0][1]), end)
        end = end if space < 0 else space
    inside = [(at - start, to - start) for at, to in found if to <= end]
    before, after = "… " if start else "", " …" if end < len(text) else ""
    return before + _render(text[start:end], inside) + after


def marked_beginnings(text: str, words: Sequence[str]) -> str:
    """The text with the beginnings of its words marked that were typed so far."""
    found: list[tuple[int, int]] = []
    for start, end, word in spans(text):
        if is_unspaced(word):
            inside = _inside(word, [one for one in words if is_unspaced(one)])
            found += [(start + at, min(start + to, end)) for at, to in inside]
        elif begun := max((len(one) for one in words if word.startswith(one)), default=0):
            found.append((start, min(start + begun, end)))
    return _render(text, found)


def _matches(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    whole = {word for word in words if not is_unspaced(word)}
    parts = [word for word in words if is_unspaced(word)]
    found: list[tuple[int, int]] = []
    for start, end, word in spans(text):
        if word in whole:
            found.append((start, end))
        elif parts and is_unspaced(word) and len(word) == end - start:
            found += [(start + at, start + to) for at, to in _inside(word, parts)]
    return found


def _inside(run: str, parts: Sequence[str]) -> list[tuple[int, int]]:
    """Where parts stand in a run of characters, overlaps joined."""
    places = sorted(
        (at, at + len(part)) for part in parts for at in range(len(run)) if run.startswith(part, at)
    )
    joined: list[tuple[int, int]] = []
    for at, to in places:
        if joined and at <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(to, joined[-1][1]))
        else:
            joined.append((at, to))
    return joined


def _render(text: str, found: Sequence[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in found:
        pieces += [escape(text[done:start]), "<mark>", escape(text[start:end]), "</mark>"]
        done = end
    return "".join([*pieces, escape(text[done:])])
