"""What a command of the command line gets: the services while it works, and a way to answer.

A room's `cli.py` holds click commands that take the shell with `@click.pass_obj`:

    @click.command()
    @json_option
    @click.pass_obj
    def recount(shell: Shell, as_json: bool) -> None:
        answer(shell.run(_recount), as_json=as_json, text="Recounted.")
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:  # help must answer at once, and the supervisor must stay small
    from rensai.kit.services import Services

T = TypeVar("T")

json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for scripts.")


@dataclass(frozen=True, slots=True)
class Shell:
    """Opens what a command needs, and only when it needs it."""

    open: Callable[[], "AbstractAsyncContextManager[Services]"]

    def run(self, work: "Callable[[Services], Awaitable[T]]") -> T:
        """Do the work with everything open, and close it again."""
        import asyncio  # noqa: PLC0415 - see above

        async def opened() -> T:
            async with self.open() as services:
                return await work(services)

        return asyncio.run(opened())


def answer(value: object, *, as_json: bool, text: str) -> None:
    """Print the answer, for a person or for a script."""
    import msgspec  # noqa: PLC0415 - see above

    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode() if as_json else text)
