"""What a long command shows while it works."""

import asyncio
import os
import pty
import sys
from contextlib import suppress

import pytest

from rensai.kit import progress
from rensai.kit.progress import progress_line, show_progress


def test_a_bar_is_shown_where_the_end_is_known() -> None:
    half = progress_line("Chapters", 1_000, 2_000, 310.4)
    assert half == f"Chapters: [{'#' * 12}{'-' * 12}] 1,000 of 2,000 done, 310/s"
    assert progress_line("Chapters", 2_500, 2_000, 0).count("#") == 24
    assert progress_line("Chapters", 1_000, None, 310) == "Chapters: 1,000 done, 310/s"


@pytest.mark.anyio
async def test_plain_lines_come_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_PLAIN_SECONDS", 0.01)
    await _show_for(0.1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith("Chapters: ") and "\x1b" not in line for line in lines)
    assert lines[-1].startswith("Chapters: 7 done in")


@pytest.mark.anyio
async def test_one_line_changes_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = pty.openpty()
    monkeypatch.setattr(progress, "_TERMINAL_SECONDS", 0.01)
    with os.fdopen(writer, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        await _show_for(0.1)
    shown = _read(reader)
    assert shown.count("\n") == 1
    assert shown.count("\r\x1b[KChapters: [") >= 1


def _read(reader: int) -> str:
    """All that was written to a terminal which is closed by now."""
    parts: list[bytes] = []
    with suppress(OSError):  # which is how a terminal says that it ends
        while part := os.read(reader, 4_096):
            parts.append(part)
    os.close(reader)
    return b"".join(parts).decode()


async def _show_for(seconds: float) -> None:
    over = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, over.set)
    await show_progress("Chapters", lambda: 7, over, total=10)
