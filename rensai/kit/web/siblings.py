"""What the other web processes of this server have counted.

Each process counts for itself, in memory. Where several share the port, each leaves its
figures in a file every few seconds, and whichever is asked for metrics shows them all, each
under its own `process` label: a counter then only ever grows, and starts again at nought when
its process does, which is what Prometheus expects.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec

from rensai.kit.log import get_logger
from rensai.kit.web.exposition import ProcessFigures

PUBLISH_SECONDS = 5.0

_LOG = get_logger("rensai.web")
_DECODER = msgspec.json.Decoder(ProcessFigures)


class Siblings:
    """The figures of the processes that the same supervisor started."""

    def __init__(self, folder: Path, own: Callable[[], ProcessFigures]) -> None:
        self._all = folder
        self._folder = folder / str(os.getppid())
        self._file = self._folder / f"{os.getpid()}.json"
        self._own = own

    def figures(self) -> list[ProcessFigures]:
        """Our own as they are now, and those of the others as they were seconds ago."""
        found = [self._own()]
        for file in sorted(self._folder.glob("*.json")):
            if file != self._file and _lives(file.stem):
                with suppress(OSError, msgspec.DecodeError):
                    found.append(_DECODER.decode(file.read_bytes()))
        return found

    @asynccontextmanager
    async def published(self) -> AsyncGenerator[None]:
        """Within it, the others can see what we have counted."""
        self._clear_away_the_dead()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        publishing = asyncio.create_task(self._keep_publishing())
        try:
            yield
        finally:
            publishing.cancel()
            self._file.unlink(missing_ok=True)
            with suppress(OSError):
                self._folder.rmdir()

    async def _keep_publishing(self) -> None:
        while True:
            try:
                self._write()
            except OSError as problem:
                _LOG.warning("metrics cannot be shared between processes", error=str(problem))
            await asyncio.sleep(PUBLISH_SECONDS)

    def _write(self) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(self._own()))
        fresh.replace(self._file)

    def _clear_away_the_dead(self) -> None:
        """Folders of supervisors that are gone, and files of siblings that were killed."""
        for folder in self._all.glob("*"):
            for file in folder.glob("*"):
                if not (_lives(folder.name) and _lives(file.name.partition(".")[0])):
                    file.unlink(missing_ok=True)
            if not _lives(folder.name):
                with suppress(OSError):
                    folder.rmdir()


def _lives(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
