"""`rensai user`: finding accounts, and what an operator does to them."""

import click
import msgspec

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.readers.model.profiles import (
    Action,
    Person,
    PersonChange,
    SearchBy,
    Wanted,
)
from rensai.rooms.readers.service import ending, people

ROLES = ("user", "uploader", "moderator", "admin")
MOST_LISTED = 1000


@click.group()
def user() -> None:
    """Accounts: who there is, what they may do, and the end of them."""


@user.command("list")
@click.option("--name", help="Those whose name begins so.")
@click.option("--email", help="Those whose address begins so.")
@click.option("--role", type=click.Choice(ROLES), help="Those of one role.")
@click.option("--banned", is_flag=True, help="Those that are banned.")
@click.option(
    "--limit", type=click.IntRange(1, MOST_LISTED), default=50, show_default=True, help="At most."
)
@json_option
@click.pass_obj
def list_users(
    shell: Shell,
    *,
    name: str | None,
    email: str | None,
    role: str | None,
    banned: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Accounts, newest first, or in the order of what they are looked for by.

    \b
    Examples:
      rensai user list --role moderator
      rensai user list --email ada@ --json
    """
    if name is not None and email is not None:
        raise click.UsageError("give --name or --email, not both")
    by = SearchBy.NAME if email is None else SearchBy.EMAIL
    wanted = Wanted(name if email is None else email, by, role, banned)

    async def work(services: Services) -> list[Person]:
        found = await people.list_people(services.db.primary, wanted, after=None, limit=limit)
        return found[:limit]

    found = shell.run(work)
    answer(found, as_json=as_json, text="\n".join(map(_line, found)) or "There are none.")


@user.command()
@click.argument("name")
@json_option
@click.pass_obj
def show(shell: Shell, *, name: str, as_json: bool) -> None:
    """One account, and what was done to it.

    \b
    Example:
      rensai user show ada
    """

    async def work(services: Services) -> tuple[Person, list[Action]]:
        person = await people.person_of_name(services.db.primary, name)
        return person, await people.actions_on(services.db.primary, person.id)

    person, actions = shell.run(work)
    told = msgspec.structs.asdict(person) | {"actions": actions}
    lines = [_line(person), *(f"  {_done(action)}" for action in actions)]
    answer(told, as_json=as_json, text="\n".join(lines))


@user.command()
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@json_option
@click.pass_obj
def role(shell: Shell, *, name: str, role: str, as_json: bool) -> None:
    """Give an account another role. The last administrator stays one.

    \b
    Example:
      rensai user role ada moderator
    """
    _change(shell, name, PersonChange(role=role), as_json=as_json)


@user.command()
@click.argument("name")
@click.option("--reason", default="", help="Why, for those who run the site.")
@json_option
@click.pass_obj
def ban(shell: Shell, *, name: str, reason: str, as_json: bool) -> None:
    """Shut an account out, and sign it out everywhere.

    \b
    Example:
      rensai user ban mallory --reason "spam in comments"
    """
    _change(shell, name, PersonChange(is_banned=True, ban_reason=reason), as_json=as_json)


@user.command()
@click.argument("name")
@json_option
@click.pass_obj
def unban(shell: Shell, *, name: str, as_json: bool) -> None:
    """Let an account in again."""
    _change(shell, name, PersonChange(is_banned=False), as_json=as_json)


@user.command()
@click.argument("name")
@json_option
@click.pass_obj
def verify(shell: Shell, *, name: str, as_json: bool) -> None:
    """Take an account's e-mail address for confirmed, where no letter can do it."""
    _change(shell, name, PersonChange(email_verified=True), as_json=as_json)


@user.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def delete(shell: Shell, *, name: str, yes: bool, as_json: bool) -> None:
    """Erase an account for good, and what it has; its comments lose their name.

    Nobody can register under the same name again.
    """
    if not yes:
        click.confirm(f"Erase the account {name} for good?", abort=True, err=True)

    async def work(services: Services) -> Person:
        person = await people.person_of_name(services.db.primary, name)
        async with services.db.transaction() as tx:
            await ending.delete_account(tx, person.id, actor_id=None, now=services.clock.now())
        return person

    person = shell.run(work)
    answer({"deleted": person.uid}, as_json=as_json, text=f"{person.username} is erased.")


def _change(shell: Shell, name: str, change: PersonChange, *, as_json: bool) -> None:
    async def work(services: Services) -> Person:
        person = await people.person_of_name(services.db.primary, name)
        async with services.db.transaction() as tx:
            return await people.change_person(
                tx, person.id, change, actor_id=None, now=services.clock.now()
            )

    changed = shell.run(work)
    answer(changed, as_json=as_json, text=_line(changed))


def _line(person: Person) -> str:
    marks = [
        person.role,
        *(["banned" + (f": {person.ban_reason}" if person.ban_reason else "")] * person.is_banned),
        *(["deleted"] if person.deleted_at else ["closed"] * (not person.is_active)),
        *(["address confirmed"] * person.email_verified),
    ]
    return f"{person.username}  <{person.email}>  {', '.join(marks)}"


def _done(action: Action) -> str:
    who = action.actor or "command line"
    detail = f": {action.detail}" if action.detail else ""
    return f"{action.created_at:%Y-%m-%d %H:%M}  {action.action}{detail}  ({who})"
