"""One load per key at a time within a process."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Flight(Generic[T]):
    """A load under way; `stale` once what it is loading has been deleted."""

    def __init__(self) -> None:
        self.stale = False
        self.task: asyncio.Task[T] | None = None


class Flights(Generic[T]):
    """The loads under way in this process, by key."""

    def __init__(self) -> None:
        self._flights: dict[str, Flight[T]] = {}

    async def join(self, key: str, load: Callable[[Flight[T]], Awaitable[T]]) -> T:
        """Wait for the load of this key, starting it if nobody has.

        The load runs in a task of its own: a caller who gives up takes nothing from the others.
        """
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = Flight()
            flight.task = asyncio.create_task(self._run(key, flight, load))
            flight.task.add_done_callback(_heard)
        assert flight.task is not None  # noqa: S101 - set in the same step as the flight
        return await asyncio.shield(flight.task)

    def cancel(self, key: str) -> None:
        """Whoever asks from now on starts a new load; the one under way is not to be kept."""
        flight = self._flights.pop(key, None)
        if flight is not None:
            flight.stale = True

    async def _run(
        self, key: str, flight: Flight[T], load: Callable[[Flight[T]], Awaitable[T]]
    ) -> T:
        try:
            return await load(flight)
        finally:
            if self._flights.get(key) is flight:
                del self._flights[key]


def _heard(task: asyncio.Task[T]) -> None:
    """Read the error of a load that nobody waits for any more, so asyncio does not complain."""
    if not task.cancelled():
        task.exception()
