"""What was logged during a test."""

import io
import json
from collections.abc import Generator
from contextlib import contextmanager

from rensai.kit import log


@contextmanager
def logged() -> Generator[io.StringIO]:
    """A stream that gets every line meanwhile, as JSON from level info on."""
    stream = io.StringIO()
    log.configure("info", "json", stream=stream)
    try:
        yield stream
    finally:
        log.configure()


def lines_of(stream: io.StringIO) -> list[dict[str, object]]:
    """The lines in it."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]
