"""The process tree: the embedded database if it is wanted, migrations, then web and worker."""

import errno
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack

from rensai.config import Config, ConfigError, environment_of
from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.errors import RensaiError
from rensai.wiring.supervisor import Role, StepFailedError, StopRequestedError, Supervisor

BACKLOG = 1024
_LEVELS = ("debug", "info", "warning", "error")
# What a child may need beyond SHUTDOWN_SECONDS to close its connections.
CLOSING_SECONDS = 5


class Tree:
    """Runs everything of one configuration until a signal ends it."""

    def __init__(
        self,
        config: Config,
        *,
        prepare: tuple[str, ...] = (),
        progress: Callable[[str], None] | None = None,
        announce: Callable[[str, bool], None] | None = None,
        afterwards: tuple[Role, ...] = (),
    ) -> None:
        """`announce` gets what the preparation printed, and whether everything is ready.

        What comes `afterwards` starts when web and worker are both there.
        """
        self._config = config
        self._prepare = prepare
        self._announce = announce
        self._afterwards = afterwards
        self._progress: Callable[[str], None] = progress or self._inform
        self._embedded: EmbeddedPostgres | None = None
        self._is_ready = False

    def run(self) -> int:
        """Start, keep and end it all; gives the exit code."""
        with ExitStack() as held:
            # The port before anything else is touched.
            web = self._config.run_mode != "worker"
            listening = held.enter_context(bind(self._config)) if web else None
            supervisor = Supervisor(
                grace=self._config.shutdown_seconds + CLOSING_SECONDS,
                environment=environment_of(self._config),
                say=self._say,
                tick=self._mend_database,
            )
            held.callback(supervisor.stop_listening)
            if self._config.database_primary_url is None:
                self._embedded = EmbeddedPostgres(self._config.data_dir, progress=self._progress)
                held.enter_context(self._embedded)
            try:
                prepared = supervisor.step("rensai.wiring.prepare", *self._prepare)
            except StopRequestedError as stopped:
                self._tell_what_is_told_once(stopped.printed)
                return 0
            except StepFailedError:
                return 1
            if listening is not None:
                _start_listening(listening, self._config)
            try:
                return supervisor.keep(
                    self._roles(listening),
                    on_ready=lambda: self._ready(prepared),
                    on_stop=lambda: self._progress("Stopping; a second signal does so at once"),
                )
            finally:
                if not self._is_ready:
                    self._tell_what_is_told_once(prepared)

    def _roles(self, listening: socket.socket | None) -> list[Role]:
        roles: list[Role] = []
        if listening is not None:
            count, descriptor = self._config.web_processes, listening.fileno()
            roles += [
                Role(
                    f"web {number}" if count > 1 else "web",
                    ("rensai.wiring.serve_child", "web", str(descriptor)),
                    (descriptor,),
                )
                for number in range(1, count + 1)
            ]
        if self._config.run_mode != "web":
            roles.append(Role("worker", ("rensai.wiring.serve_child", "worker")))
        if self._config.run_mode == "all":
            roles += self._afterwards
        return roles

    def _ready(self, prepared: str) -> None:
        self._is_ready = True
        if self._announce is not None:
            self._announce(prepared, True)  # noqa: FBT003 - see above
        elif self._config.run_mode == "worker":
            self._say("info", "Rensai is ready")
        else:
            self._say("info", "Rensai is ready", at=self._config.base_url)

    def _tell_what_is_told_once(self, prepared: str) -> None:
        if self._announce is not None and prepared:
            self._announce(prepared, False)  # noqa: FBT003 - see above

    def _inform(self, message: str) -> None:
        self._say("info", message)

    def _mend_database(self) -> None:
        if self._embedded is None:
            return
        try:
            if self._embedded.ensure_running():
                self._say("warning", "The embedded database had ended; it was started again")
        except RensaiError as error:
            self._say("error", str(error))

    def _say(self, level: str, event: str, **details: object) -> None:
        """A log line like those of the children, without the weight of their logging."""
        if _LEVELS.index(level) < _LEVELS.index(self._config.log_level):
            return
        if self._config.log_format == "json":
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
            head = {"time": stamp, "level": level, "logger": "supervisor", "event": event}
            line = json.dumps(head | details, default=str)
        else:
            pairs = "".join(f" {name}={value}" for name, value in details.items())
            stamp = time.strftime("%H:%M:%S.000", time.gmtime())
            line = f"{stamp} {level:<7} {event}{pairs} [supervisor]"
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def bind(config: Config) -> socket.socket:
    """A socket that holds the address; nobody can connect before it listens."""
    try:
        found = socket.getaddrinfo(
            config.host, config.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except socket.gaierror:
        raise _elsewhere(config) from None
    family, kind, protocol, _, address = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and config.host == "::":
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listening.settimeout(0)
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise _taken(config, error) from None
    return listening


def _start_listening(listening: socket.socket, config: Config) -> None:
    try:
        listening.listen(BACKLOG)
    except OSError as error:
        raise _taken(config, error) from None


def _elsewhere(config: Config) -> ConfigError:
    return ConfigError(
        f"HOST: {config.host!r} is not an address of this machine, such as 127.0.0.1"
    )


def _taken(config: Config, error: OSError) -> ConfigError:
    if error.errno == errno.EADDRNOTAVAIL:
        return _elsewhere(config)
    mend = "stop what listens there, or set PORT to a free port"
    if error.errno in {errno.EACCES, errno.EPERM}:
        mend = "set PORT to 1024 or more, which needs no rights of root"
    return ConfigError(
        f"PORT: {config.port} on {config.host} cannot be used: "
        f"{os.strerror(error.errno or 0)}; {mend}"
    )
