"""How a command fails: one clear line on standard error and a non-zero exit."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from rensai.config import ConfigError, debugging
from rensai.kit.errors import RensaiError


@contextmanager
def one_line() -> Generator[None, None, None]:
    """Turn what we know how to say into one line; RENSAI_DEBUG=1 lets the traceback through."""
    try:
        yield
    except (ConfigError, RensaiError) as error:
        if debugging():
            raise
        private = getattr(error, "private", None)
        sys.stderr.write(f"rensai: {error}{f' ({private})' if private else ''}\n")
        sys.exit(1)
