"""A real PgBouncer in transaction mode before the tests' server."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

_CONFIG = """
[databases]
{database} = host={sockets} port=5432 user=rensai dbname={database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
server_lifetime = 3600
pidfile =
logfile = {folder}/log
"""


class PgBouncer:
    """A pooler that a test may stop and start."""

    def __init__(self, folder: Path, url: str, *, size: int) -> None:
        parts = urlsplit(url)
        database = parts.path[1:]
        sockets = Path(parse_qs(parts.query)["host"][0])
        self._owner = sockets.stat().st_uid  # the only user that may enter the sockets' folder
        self._folder = folder
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://rensai@127.0.0.1:{self._port}/{database}"
        config = _CONFIG.format(
            database=database, sockets=sockets, port=self._port, size=size, folder=folder
        )
        (folder / "pgbouncer.ini").write_text(config)

    def start(self) -> None:
        """Start it and wait until it listens."""
        program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
        assert program, "these tests need PgBouncer: apt-get install pgbouncer"
        command = [program, str(self._folder / "pgbouncer.ini")]
        if os.geteuid() == 0:
            name = pwd.getpwuid(self._owner).pw_name
            for path in (self._folder, *self._folder.iterdir()):
                os.chown(path, self._owner, -1)
            command[1:1] = ["-u", name]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(500):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.01)
        raise AssertionError((self._folder / "log").read_text())

    def kill(self) -> None:
        """End it at once, with every connection through it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])
