"""`rensai policy`: which sources are open, and on whose rights that rests."""

from datetime import timedelta

import click
from msgspec import UNSET

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.cli.table import table
from rensai.rooms.catalogue.model import Policy

_COUNTING = timedelta(minutes=2)


@click.group()
def policy() -> None:
    """Which sources everybody may read, and on whose rights that rests.

    A source without a policy is open. The stories of a closed one are kept and go on being
    received, and nobody finds or reads them.
    """


@policy.command("list")
@json_option
@click.pass_obj
def list_policies(shell: Shell, *, as_json: bool) -> None:
    """Every source that has stories or a policy; stories are counted where there is a policy."""

    async def work(services: Services) -> list[Policy]:
        async with services.db.transaction(_COUNTING) as tx:
            return await service.list_policies(tx)

    found = shell.run(work)
    rows = [
        (
            one.source,
            "open" if one.is_public else "closed",
            "-" if one.updated_at is None else f"{one.updated_at:%Y-%m-%d}",
            "-" if one.stories is None else f"{one.stories:,}",
            _remark(one),
        )
        for one in found
    ]
    head = ("SOURCE", "IS", "SINCE", "STORIES", "RIGHTS")
    answer(found, as_json=as_json, text=table([head, *rows]) if rows else "There are no sources.")


@policy.command("set")
@click.argument("source")
@click.option("--open/--closed", "is_public", default=None, help="Whether everybody may read it.")
@click.option("--rights", help="Whose rights showing it rests on, in plain words.")
@json_option
@click.pass_obj
def set_policy(
    shell: Shell, *, source: str, is_public: bool | None, rights: str | None, as_json: bool
) -> None:
    """Open a source to everybody, or close it; what is not named stays as it is.

    It holds at once for what comes in, and within seconds for what is there. If it is
    interrupted, give the same command again.

    \b
    Examples:
      rensai policy set truyen --closed
      rensai policy set gutenberg --open --rights "Public domain in the USA and the EU."
    """
    if is_public is None and rights is None:
        raise click.UsageError("Say --open, --closed or --rights.")

    async def work(services: Services) -> int:
        return await service.set_policy(
            services.db,
            services.clock,
            source,
            is_public=UNSET if is_public is None else is_public,
            rights=UNSET if rights is None else rights,
        )

    _tell(shell.run(work), source, as_json=as_json)


@policy.command("clear")
@click.argument("source")
@json_option
@click.pass_obj
def clear_policy(shell: Shell, *, source: str, as_json: bool) -> None:
    """Forget the policy of a source, which opens it.

    \b
    Example:
      rensai policy clear truyen
    """

    async def work(services: Services) -> int:
        return await service.clear_policy(services.db, source)

    _tell(shell.run(work), source, as_json=as_json)


def _remark(one: Policy) -> str:
    if one.unlike:
        return f"{one.unlike:,} stories are not yet so: set it again.  {one.rights}".rstrip()
    return one.rights


def _tell(stories: int, source: str, *, as_json: bool) -> None:
    text = f"Noted for {source}; {stories:,} of its stories were opened or closed by that."
    answer({"source": source, "stories": stories}, as_json=as_json, text=text)
