"""Commands about the keys of crawlers."""

import getpass
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import click
import msgspec

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.ingest.model import BYTES_PER_MINUTE, REQUESTS_PER_MINUTE, Key, NewKey
from rensai.rooms.ingest.service import keys as service

F = TypeVar("F", bound=Callable[..., Any])  # Any: a command's own parameters


@click.group()
def key() -> None:
    """The keys by which crawlers push stories and chapters."""


def _list(_: click.Context, __: click.Parameter, value: Sequence[str]) -> list[str]:
    """An option that may be repeated, and may hold several values between commas."""
    return [part.strip() for each in value for part in each.split(",") if part.strip()]


def _several(name: str, help_text: str, *, required: bool = False) -> Callable[[F], F]:
    return click.option(name, multiple=True, callback=_list, help=help_text, required=required)


@key.command()
@click.option("--name", required=True, help="What it is for, such as the crawler that has it.")
@_several(
    "--permissions",
    "Any of ingest:stories, ingest:chapters and ingest:stats, between commas.",
    required=True,
)
@_several("--sources", "The sources that it may write to.  [default: all]")
@_several("--allow-ip", "An address or a range that it may be used from.  [default: any]")
@click.option(
    "--requests-per-minute",
    type=click.IntRange(0),
    default=REQUESTS_PER_MINUTE,
    show_default=True,
    help="How many requests it may send in a minute; 0 for any number.",
)
@click.option(
    "--bytes-per-minute",
    type=click.IntRange(0),
    default=BYTES_PER_MINUTE,
    show_default=True,
    help="How many bytes of bodies, counted unpacked; 0 for any number.",
)
@json_option
@click.pass_obj
def create(
    shell: Shell,
    *,
    name: str,
    permissions: list[str],
    sources: list[str],
    allow_ip: list[str],
    requests_per_minute: int,
    bytes_per_minute: int,
    as_json: bool,
) -> None:
    """Make a key. Its secret is printed this once.

    \b
    Examples:
      rensai key create --name "crawler 1" --permissions ingest:stories,ingest:chapters
      rensai key create --name staging --permissions ingest:chapters --sources a,b \\
          --allow-ip 192.0.2.0/24 --json
    """

    async def work(services: Services) -> NewKey:
        async with services.db.transaction() as tx:
            return await service.create(
                tx,
                sealing_secrets=services.config.sealing_secrets,
                name=name,
                permissions=permissions,
                sources=sources,
                networks=allow_ip,
                requests_per_minute=requests_per_minute,
                bytes_per_minute=bytes_per_minute,
                operator=_operator(),
                now=services.clock.now(),
            )

    _tell(shell.run(work), as_json=as_json)


@key.command("list")
@json_option
@click.pass_obj
def list_keys(shell: Shell, *, as_json: bool) -> None:
    """Every key, what it may do and when it was last used."""

    async def work(services: Services) -> list[Key]:
        return await service.list_all(services.db.primary)

    found = shell.run(work)
    answer(found, as_json=as_json, text="\n".join(map(_line, found)) or "There are no keys.")


@key.command()
@click.argument("key_id")
@click.option(
    "--overlap",
    type=click.FloatRange(0, service.LONGEST_OVERLAP / timedelta(hours=1)),
    default=service.OVERLAP / timedelta(hours=1),
    show_default=True,
    help="For how many hours the old secret still signs; 0 ends it at once.",
)
@json_option
@click.pass_obj
def rotate(shell: Shell, *, key_id: str, overlap: float, as_json: bool) -> None:
    """Give a key a new secret. The old one goes on for a while, so that nothing stops."""

    async def work(services: Services) -> NewKey:
        async with services.db.transaction() as tx:
            return await service.rotate(
                tx,
                key_id,
                sealing_secrets=services.config.sealing_secrets,
                overlap=timedelta(hours=overlap),
                operator=_operator(),
                now=services.clock.now(),
            )

    _tell(shell.run(work), as_json=as_json)


@key.command()
@click.argument("key_id")
@json_option
@click.pass_obj
def revoke(shell: Shell, *, key_id: str, as_json: bool) -> None:
    """Refuse a key from now on."""

    async def work(services: Services) -> Key:
        async with services.db.transaction() as tx:
            return await service.revoke(tx, key_id, operator=_operator(), now=services.clock.now())

    answer(shell.run(work), as_json=as_json, text=f"The key {key_id} is revoked.")


@key.command()
@click.argument("key_id")
@json_option
@click.pass_obj
def unlock(shell: Shell, *, key_id: str, as_json: bool) -> None:
    """Forget the wrong signatures made with a key, which had locked it for some addresses."""

    async def work(services: Services) -> int:
        async with services.db.transaction() as tx:
            return await service.unlock(tx, key_id, operator=_operator(), now=services.clock.now())

    places = shell.run(work)
    told = {"key_id": key_id, "addresses": places}
    answer(told, as_json=as_json, text=f"Forgotten for {places} addresses.")


def _operator() -> str:
    """Who runs this command, for the log."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return "unknown"


def _tell(made: NewKey, *, as_json: bool) -> None:
    text = (
        f"key id  {made.key_id}\nsecret  {made.secret}\n\n"
        "The secret is shown only now; keep it where you keep keys."
    )
    answer(msgspec.to_builtins(made), as_json=as_json, text=text)


def _line(known: Key) -> str:
    state = "active" if known.is_active else "revoked"
    used = f"{known.last_used_at:%Y-%m-%d %H:%M}" if known.last_used_at else "never used"
    sources = ",".join(known.sources) or "all sources"
    return (
        f"{known.key_id}  {state:<8}{used:<18}{known.key_name}  "
        f"[{','.join(known.permissions)}; {sources}]"
    )
