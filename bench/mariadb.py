"""A throw-away MariaDB of Debian's: on a socket in a folder of its own, ended by its id."""

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bench.harness import wait_until
from bench.load import LoadError

_POLICY = Path("/usr/sbin/policy-rc.d")
DATABASE = "peer"

# Warm and out of each other's way: all data in memory, nothing that waits for the disk, and no
# query cache, which would measure itself. What is not named is MariaDB's own default.
_SETTINGS = {
    "innodb_buffer_pool_size": "2G",
    "innodb_log_file_size": "512M",
    "innodb_flush_log_at_trx_commit": "0",
    "innodb_doublewrite": "0",
    "character_set_server": "utf8mb4",
    "collation_server": "utf8mb4_unicode_520_ci",
    "local_infile": "1",
    "max_allowed_packet": "256M",
    "tmp_table_size": "256M",
    "max_heap_table_size": "256M",
    "query_cache_type": "0",
    "skip_networking": "1",
}


def ensure_mariadb() -> None:
    """It is in Debian; where it cannot be installed, say so."""
    if shutil.which("mariadbd"):
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise LoadError("MariaDB is missing; install it (Debian: apt-get install mariadb-server)")
    print("  installing MariaDB", flush=True)
    with _no_services():
        apt = ["apt-get", "-qq", "-y"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update"], ["install", "--no-install-recommends", "mariadb-server"]):
            subprocess.run([*apt, *words], check=True, stdout=subprocess.DEVNULL, env=environment)


@contextmanager
def _no_services() -> Generator[None]:
    """Debian's package would start a server of its own; the measurement starts another."""
    if _POLICY.exists():
        yield
        return
    _POLICY.write_text("#!/bin/sh\nexit 101\n")
    _POLICY.chmod(0o755)
    try:
        yield
    finally:
        _POLICY.unlink()


@contextmanager
def mariadb() -> Generator[Path]:
    """A running server with an empty database called `peer`; the path of its socket."""
    ensure_mariadb()
    with tempfile.TemporaryDirectory(prefix="rensai-mariadb-") as name:
        folder = Path(name)
        data, socket, log = folder / "data", folder / "socket", folder / "log"
        user = getpass.getuser()
        subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={data}",
                f"--user={user}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ],
            check=True,
            capture_output=True,
        )
        settings = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    "mariadbd",
                    "--no-defaults",
                    f"--datadir={data}",
                    f"--socket={socket}",
                    f"--pid-file={folder / 'pid'}",
                    f"--user={user}",
                    *settings,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            _wait(process, socket, log)
            _client(socket, f"CREATE DATABASE {DATABASE}")
            yield socket
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=120)


def _wait(process: "subprocess.Popen[bytes]", socket: Path, log: Path) -> None:
    def answers() -> bool:
        if process.poll() is not None:
            raise LoadError(f"MariaDB ended:\n{log.read_text()[-3000:]}")
        return socket.exists() and _client(socket, "SELECT 1", check=False)

    wait_until(answers, seconds=60, what="an answer from MariaDB")


def _client(socket: Path, statement: str, *, check: bool = True) -> bool:
    command = ["mariadb", "--no-defaults", f"--socket={socket}", "--user=root", "-e", statement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise LoadError(f"MariaDB refused {statement}: {done.stderr}")
    return done.returncode == 0
