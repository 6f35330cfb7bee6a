"""Logs: one line per event, JSON for machines or readable text for a terminal.

`get_logger(name)` gives a structlog logger: `log.info("chapter published", story=3)`. Lines of
the standard `logging` module (granian, asyncpg, pgqueuer, litestar) take the same way, so the
same things are redacted everywhere (`kit.log_redact`). Whatever `context` binds, such as the
request id, is in every line below it. Writing a line never raises.
"""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Mapping, MutableMapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Literal, TextIO, cast

import msgspec
import structlog
from structlog.contextvars import bound_contextvars, get_contextvars

from rensai.kit.log_redact import clean_event, clean_trace, hide

Format = Literal["json", "text"]
Logger = structlog.typing.FilteringBoundLogger

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
_NAMES = {number: name for name, number in _LEVELS.items()}
_METHODS = {"exception": "error", "warn": "warning", "fatal": "critical", "msg": "info"}

# Chatty below warning, and nothing in it that our own lines do not say.
_QUIET = ("asyncio", "httpx", "httpcore", "urllib3")

GRANIAN_LOGGING: dict[str, object] = {
    "version": 1,
    "disable_existing_loggers": False,
    "root": {"handlers": [], "level": "NOTSET"},
    "formatters": {},
    "handlers": {},
    "loggers": {
        "_granian": {"handlers": [], "level": "INFO", "propagate": True},
        "granian.access": {"handlers": [], "level": "WARNING", "propagate": False},
    },
}
"""For granian's `log_dictconfig`: its lines go to the root logger, which is ours."""


class _Output:
    """Where lines go and what they look like; set once by `configure`."""

    def __init__(self) -> None:
        self.level = _LEVELS["info"]
        self.text = False
        self.stream: TextIO | None = None
        self.second = 0
        self.stamp = ""


_output = _Output()
_encode = msgspec.json.Encoder(order=None).encode


def configure(
    level: str = "info",
    format: Format | None = None,  # noqa: A002 - the setting's own name
    *,
    stream: TextIO | None = None,
    secrets: Iterable[str] = (),
) -> None:
    """Set up logging for this process; may be called again.

    Without a `format` it is text on a terminal and JSON elsewhere. Lines go to standard error.
    `secrets` are values that no line may show, wherever they turn up.
    """
    hide(secrets)
    _output.level = _LEVELS.get(level.lower(), _LEVELS["info"])
    _output.stream = stream
    _output.text = _stream().isatty() if format is None else format == "text"
    root = logging.getLogger()
    root.handlers[:] = [_Handler()]
    root.setLevel(_output.level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(_output.level, logging.WARNING))
    logging.captureWarnings(capture=True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def get_logger(name: str) -> Logger:
    """A logger whose lines carry this name."""
    return cast(Logger, structlog.get_logger(name))


def context(**values: object) -> AbstractContextManager[object]:
    """Within it, every line of this task and of those it starts carries the values."""
    return bound_contextvars(**values)


class _Sink:
    """What structlog thinks it logs to; the last processor has written the line already."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def msg(self, line: str) -> None:
        """Nothing is left to do."""

    debug = info = warning = warn = error = critical = fatal = exception = log = msg


def _filter(
    logger: object, method: str, event: MutableMapping[str, object]
) -> MutableMapping[str, object]:
    del logger
    name = _METHODS.get(method, method)
    if _LEVELS.get(name, 20) < _output.level:
        raise structlog.DropEvent
    event["level"] = name
    return event


def _write(logger: _Sink, method: str, event: MutableMapping[str, object]) -> str:
    del method
    event["logger"] = logger.name
    _emit(event)
    raise structlog.DropEvent


class _Handler(logging.Handler):
    """The way of the standard library's lines into ours."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            message: object = record.getMessage()
        except Exception:  # noqa: BLE001 - a wrong format string elsewhere is no reason to fail
            message = cast(object, record.msg)
        _emit(
            {
                "event": message,
                "logger": record.name,
                "level": _NAMES.get(record.levelno // 10 * 10, "info"),
                "exc_info": record.exc_info,
            }
        )


def _emit(event: MutableMapping[str, object]) -> None:
    """Redact, render and write one event. Whatever goes wrong, the caller goes on."""
    try:
        stream = _stream()
        stream.write(_render(event))
        stream.flush()
    except Exception:  # noqa: BLE001 - a full disk or a closed pipe must not stop the server
        return


def _render(event: MutableMapping[str, object]) -> str:
    try:
        trace = _trace(event.pop("exc_info", None))
        level, name = event.pop("level", "info"), event.pop("logger", "")
        line: dict[str, object] = {"time": _now(), "level": level, "logger": name}
        line.update(clean_event({"event": event.pop("event", ""), **get_contextvars(), **event}))
        if trace:
            line["exception"] = trace
        return _as_text(line) if _output.text else _encode(line).decode() + "\n"
    except Exception as error:  # noqa: BLE001 - see _emit
        return f'{{"level":"error","event":"a log line failed","kind":"{type(error).__name__}"}}\n'


def _trace(info: object) -> str:
    """The traceback of an exception, however it was given."""
    if info is True:
        info = sys.exc_info()
    if isinstance(info, tuple):
        info = (
            cast(tuple[object, ...], info)[1] if len(cast(tuple[object, ...], info)) > 1 else None
        )
    if not isinstance(info, BaseException):
        return ""
    return clean_trace("".join(traceback.format_exception(info, limit=-40)))


def _now() -> str:
    """UTC with milliseconds; the date is rendered once a second."""
    now = time.time()
    second = int(now)
    if second != _output.second:
        _output.second = second
        _output.stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
    return f"{_output.stamp}.{int((now - second) * 1000):03d}Z"


def _as_text(line: Mapping[str, object]) -> str:
    rest = dict(line)
    head = f"{str(rest.pop('time'))[11:23]} {rest.pop('level')!s:<7} "
    name, event, trace = rest.pop("logger"), rest.pop("event", ""), rest.pop("exception", "")
    pairs = "".join(f" {_plain(key)}={_plain(value)}" for key, value in rest.items())
    tail = f"\n{trace}" if trace else ""
    return f"{head}{_plain(event)}{pairs} [{name}]{tail}\n"


def _plain(value: object) -> str:
    """One line without control characters, which a terminal might obey."""
    text = value if isinstance(value, str) else _encode(value).decode()
    return text if text.isprintable() else _encode(text).decode()


def _stream() -> TextIO:
    return _output.stream or sys.stderr


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    _emit({"event": "uncaught exception", "level": "critical", "exc_info": error})


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    _emit({"event": "uncaught exception", "level": "critical", "exc_info": args.exc_value})


# At import, so that nothing is ever printed past the redaction, not even before `configure`.
structlog.configure(
    processors=[_filter, _write],
    wrapper_class=structlog.make_filtering_bound_logger(logging.NOTSET),
    logger_factory=_Sink,
    cache_logger_on_first_use=True,
)
