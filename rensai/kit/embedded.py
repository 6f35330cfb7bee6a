"""The embedded PostgreSQL: one cluster in the data folder, shared by every process that needs it.

Each user holds a shared lock on a file for as long as it lives; the kernel drops it however
the process ends, so a crash never leaves a false user behind. Starting and stopping happen
under a second, exclusive lock. Who leaves last stops the server. Whatever `kill -9` leaves
behind (a running server, a stale pid file, half a cluster) is mended by the next one in.
"""

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO
from urllib.parse import quote

from rensai.kit.embedded_cluster import (
    DATABASE,
    complaint,
    disown_stale_pid,
    make_cluster,
    server_of,
    status_of,
)
from rensai.kit.embedded_place import EmbeddedDatabaseError, Place, settle

__all__ = ["EmbeddedDatabaseError", "EmbeddedPostgres"]

START_SECONDS = 60.0
STOP_SECONDS = 30.0

# Small, because one person's laptop is the common case, and durable, because it is still
# somebody's library. Larger sites set DATABASE_PRIMARY_URL.
_TUNING = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "96MB",
    "wal_buffers": "4MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "max_wal_size": "512MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_replication_slots": "0",
    "max_worker_processes": "4",
    "max_parallel_workers": "2",
    "max_parallel_workers_per_gather": "0",
    "autovacuum_worker_slots": "2",
    "autovacuum_max_workers": "1",
    "autovacuum_naptime": "10s",  # queues turn over completely within a minute
    "io_method": "sync",
    "jit": "off",
    "huge_pages": "off",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "cluster_name": "rensai",
}
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def _quiet(message: str) -> None:
    """Progress that nobody asked for."""


class EmbeddedPostgres:
    """A use of the embedded database of one data folder.

        with EmbeddedPostgres(data_dir) as database:
            connect(database.url)

    `durable=False` is for tests: a crash of the machine may then lose the cluster.
    """

    def __init__(
        self, data_dir: Path, *, progress: Callable[[str], None] = _quiet, durable: bool = True
    ) -> None:
        self.data_dir = data_dir
        self._progress = progress
        self._durable = durable
        self._place: Place | None = None
        self._using: IO[str] | None = None
        self._started: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "EmbeddedPostgres":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where to connect, while in use."""
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        """The address of another database of the same server."""
        return f"postgresql://rensai@/{database}?host={quote(str(self.sockets))}"

    @property
    def sockets(self) -> Path:
        """The folder of the socket, which its owner alone may enter."""
        return self._settled.sockets

    @property
    def programs(self) -> Path:
        """The folder of PostgreSQL's own programs: pg_dump, pgbench and so on."""
        return self._settled.programs

    def start(self) -> None:
        """Count as a user; start the server if nobody has."""
        try:
            with self._control() as control:
                self._using = (self.data_dir / ".postgres.users").open("a")
                fcntl.flock(self._using, fcntl.LOCK_SH)
                self._place = settle(self.data_dir)
                self._run(control)
        except BaseException as failure:
            self._leave()
            if isinstance(failure, OSError):
                raise EmbeddedDatabaseError(
                    f"The database in {self.data_dir} cannot be used: {failure.strerror}"
                ) from failure
            raise

    def ensure_running(self) -> bool:
        """Start the server again if it died under us; say whether it had."""
        if server_of(self._settled):
            return False
        with self._control() as control:
            if server_of(self._settled):
                return False
            self._run(control)
        return True

    def stop(self) -> None:
        """Stop being a user; stop the server if no other is left."""
        if self._using is None:
            return
        with self._control():
            if self._is_last(self._using) and (pid := server_of(self._settled)):
                self._end(pid)
            self._leave()

    @property
    def _settled(self) -> Place:
        if self._place is None:
            raise EmbeddedDatabaseError("The embedded database is not in use")
        return self._place

    def _control(self) -> "_Lock":
        return _Lock(self.data_dir / ".postgres.control", self._progress)

    def _is_last(self, using: IO[str]) -> bool:
        # Others cannot come while the control lock is ours, so this upgrade tells the truth.
        try:
            fcntl.flock(using, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _leave(self) -> None:
        if self._using is not None:
            self._using.close()
            self._using = None

    def _run(self, control: "_Lock") -> None:
        place = self._settled
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if server_of(place):
                # It runs already, is still starting, or was told to stop by somebody else.
                if status_of(place) == "ready":
                    return
            elif self._start_server(place, control):
                return
            time.sleep(0.02)
        raise EmbeddedDatabaseError(
            f"The database did not start within {START_SECONDS:.0f} s; its log is {place.log}"
        )

    def _start_server(self, place: Place, control: "_Lock") -> bool:
        """Start it and wait; False means that it is worth another try."""
        make_cluster(place, control.fileno(), self._progress, durable=self._durable)
        disown_stale_pid(place)
        settings = _TUNING | ({} if self._durable else _NOT_DURABLE)
        settings["unix_socket_directories"] = str(place.sockets)
        options = [part for name in settings for part in ("-c", f"{name}={settings[name]}")]
        with _open_log(place) as log:
            logged = log.tell()
            self._started = subprocess.Popen(  # noqa: S603 - our own program and arguments
                [place.programs / "postgres", "-D", place.cluster, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C in a terminal is for us, who then stop it
                **place.owner.running(),
            )
        while self._started.poll() is None:
            if status_of(place) == "ready" and server_of(place) == self._started.pid:
                return True
            time.sleep(0.01)
        with place.log.open("rb") as log:
            log.seek(logged)
            said = log.read().decode("utf-8", "replace")
        if "is still in use" in said:  # by processes of a killed server, which are just ending
            time.sleep(0.2)
            return False
        raise EmbeddedDatabaseError(f"The database did not start: {complaint(said)} ({place.log})")

    def _end(self, pid: int) -> None:
        for word, seconds in (
            (signal.SIGINT, STOP_SECONDS),
            (signal.SIGQUIT, 5.0),
            (signal.SIGKILL, 5.0),
        ):
            os.kill(pid, word)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                if self._started is not None:
                    self._started.poll()  # a child of ours stays a zombie until asked
                if not server_of(self._settled):
                    return
                time.sleep(0.02)


def _open_log(place: Place) -> IO[bytes]:
    if place.log.exists() and place.log.stat().st_size > 10_000_000:
        place.log.replace(place.log.with_suffix(".log.1"))
    return place.log.open("ab")


class _Lock:
    """An exclusive lock on a file, which says so when it has to wait."""

    def __init__(self, path: Path, progress: Callable[[str], None]) -> None:
        self._path = path
        self._progress = progress
        self._file: IO[str] | None = None

    def __enter__(self) -> "_Lock":
        self._file = self._path.open("a")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._progress("Waiting for another process that starts or stops the database")
            fcntl.flock(self._file, fcntl.LOCK_EX)
        return self

    def fileno(self) -> int:
        """For `flock`, and for a child that must hold the lock to its own end."""
        if self._file is None:
            raise ValueError("the lock is not held")
        return self._file.fileno()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
