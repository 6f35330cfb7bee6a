"""The archive as a file: what is written can be read, and what strangers send does no harm."""

import io
import json
import struct
import tracemalloc
import zipfile
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.rooms.readers.adapters import archives
from rensai.rooms.readers.adapters.archives import ArchiveReader, ArchiveWriter
from rensai.rooms.readers.model.transfers import FORMAT, VERSION, ArchiveUnreadable
from rensai.rooms.readers.service.importing import require_archive

MANIFEST: dict[str, object] = {
    "format": FORMAT,
    "version": VERSION,
    "software": "rensai/1",
    "instance": "http://rensai.test",
    "username": "bea",
    "exportedAt": datetime(2026, 5, 4, tzinfo=UTC).isoformat(),
    "files": {},
}


def zipped(
    files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED, comment: bytes = b""
) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
        archive.comment = comment
    return out


def read_through(file: io.BytesIO) -> None:
    archive = ArchiveReader(file)
    require_archive(archive)
    for name in ("mutes.jsonl", "settings.jsonl"):
        if archive.has(name):
            for _ in archive.lines(name):
                pass


@given(st.lists(st.binary(min_size=1, max_size=200).filter(lambda line: b"\n" not in line)))
def test_lines_come_back_as_they_were_written(lines: list[bytes]) -> None:
    out = io.BytesIO()
    writer = ArchiveWriter(out)
    with writer.open("x.jsonl") as file:
        for line in lines:
            file.write(line + b"\n")
    writer.add("manifest.json", json.dumps(MANIFEST).encode())
    writer.close()
    archive = ArchiveReader(out)
    assert require_archive(archive).username == "bea"
    assert list(archive.lines("x.jsonl")) == [line for line in lines if line.strip()]
    with zipfile.ZipFile(out) as other:  # what everybody else reads
        assert other.testzip() is None


@given(st.binary(max_size=2000))
def test_what_is_no_archive_is_told_so(body: bytes) -> None:
    with pytest.raises(ArchiveUnreadable):
        read_through(io.BytesIO(body))


@given(st.data())
def test_a_damaged_archive_never_surprises(data: st.DataObject) -> None:
    whole = zipped(
        {"manifest.json": json.dumps(MANIFEST).encode(), "mutes.jsonl": b'{"kind":"tag"}\n' * 50}
    ).getvalue()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(damaged)))
    for body in (bytes(damaged), bytes(damaged[:cut])):
        try:
            read_through(io.BytesIO(body))
        except ArchiveUnreadable:
            continue


@pytest.mark.parametrize(
    "manifest",
    [
        None,
        b"",
        b"[]",
        b"{" * 100_000,
        b"\xff",
        json.dumps(MANIFEST | {"format": "other"}).encode(),
        json.dumps(MANIFEST | {"version": VERSION + 1}).encode(),
        json.dumps(MANIFEST | {"version": 0}).encode(),
        json.dumps(MANIFEST | {"exportedAt": "yesterday"}).encode(),
        b" " * (archives.LONGEST_LINE + 1),
    ],
    ids=lambda body: repr(body)[:40],
)
def test_an_archive_of_something_else_is_told_apart(manifest: bytes | None) -> None:
    files = {"mutes.jsonl": b""} if manifest is None else {"manifest.json": manifest}
    with pytest.raises(ArchiveUnreadable):
        read_through(zipped(files))


def test_a_bomb_is_found_while_it_unfolds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 20 * 1024 * 1024)
    line = b"0" * (archives.LONGEST_LINE - 1) + b"\n"
    file = zipped({"mutes.jsonl": line * 400})  # 100 MB from 100 kB
    assert len(file.getvalue()) < 200_000
    archive = ArchiveReader(file)
    tracemalloc.start()
    with pytest.raises(ArchiveUnreadable, match="unfolds to more"):
        for _ in archive.lines("mutes.jsonl"):
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 1024 * 1024


def test_a_line_without_end_is_not_gathered() -> None:
    file = zipped({"mutes.jsonl": b"0" * (50 * 1024 * 1024)})
    archive = ArchiveReader(file)
    tracemalloc.start()
    with pytest.raises(ArchiveUnreadable, match="too long"):
        next(archive.lines("mutes.jsonl"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 1024 * 1024


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_unfold_at_once_are_refused(method: int) -> None:
    with pytest.raises(ArchiveUnreadable, match="packed in a way"):
        ArchiveReader(zipped({"mutes.jsonl": b"x" * 100}, method=method))


def test_a_table_of_contents_is_bounded_before_it_is_read() -> None:
    crowded = zipped({f"file-{number}": b"" for number in range(2000)})
    with pytest.raises(ArchiveUnreadable, match="more files"):
        ArchiveReader(crowded)


def test_two_files_of_one_name_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mutes.jsonl", b"a")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("mutes.jsonl", b"b")
    with pytest.raises(ArchiveUnreadable, match="same name"):
        ArchiveReader(out)


def test_a_comment_cannot_hide_another_end() -> None:
    with pytest.raises(ArchiveUnreadable):
        ArchiveReader(zipped({"manifest.json": b"{}"}, comment=b"hello"))


def test_an_encrypted_file_is_refused() -> None:
    body = bytearray(zipped({"mutes.jsonl": b"secret"}).getvalue())
    central = body.index(b"PK\x01\x02")
    struct.pack_into("<H", body, central + 8, 1)
    with pytest.raises(ArchiveUnreadable, match="packed in a way"):
        ArchiveReader(io.BytesIO(bytes(body)))
