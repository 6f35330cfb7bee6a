"""Commands about those who run the site."""

import sys

import click

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.readers import service
from rensai.rooms.readers.errors import AdminExists
from rensai.rooms.readers.model import Created


@click.group()
def admin() -> None:
    """The people who run this site."""


@admin.command()
@click.option("--username", help="Its name.  [default: ADMIN_USERNAME, else asked for]")
@click.option("--email", help="Its e-mail address.  [default: ADMIN_EMAIL, else asked for]")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@click.option("--another", is_flag=True, help="Make one more although there is one.")
@json_option
@click.pass_obj
def create(
    shell: Shell,
    *,
    username: str | None,
    email: str | None,
    password_stdin: bool,
    another: bool,
    as_json: bool,
) -> None:
    """Make an administrator.

    The password comes from standard input or from ADMIN_PASSWORD, or is asked for; it is never
    an argument, since other users of the machine can read those. The twelve words that are
    printed are shown this once. Exits with 1 when there is an administrator already.

    \b
    Examples:
      rensai admin create --username ada --email ada@example.com
      pass show ada | rensai admin create --username ada --email ada@example.com --password-stdin
    """

    async def work(services: Services) -> Created:
        config = services.config
        return await _create(
            services,
            username=username or config.admin_username or _ask("username"),
            email=email or config.admin_email or _ask("email"),
            password=_password(config.admin_password, from_stdin=password_stdin),
            another=another,
        )

    created = shell.run(work)
    told = {
        "id": created.user.uid,
        "username": created.user.username,
        "email": created.user.email,
        "role": created.user.role,
        "phrase": created.phrase,
    }
    answer(told, as_json=as_json, text=_as_text(created))


async def _create(
    services: Services, *, username: str, email: str, password: str, another: bool
) -> Created:
    try:
        async with services.db.transaction() as tx:
            return await service.create_admin(
                tx,
                username=username,
                email=email,
                password=password,
                clock=services.clock,
                another=another,
            )
    except AdminExists as problem:
        raise AdminExists(f"{problem.message} --another makes one more.") from problem


def _password(configured: str | None, *, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if configured:
        return configured
    if not sys.stdin.isatty():
        raise click.UsageError("there is no password: give --password-stdin or ADMIN_PASSWORD")
    return click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)


def _ask(option: str) -> str:
    if not sys.stdin.isatty():
        raise click.UsageError(f"there is no {option}: give --{option}")
    return click.prompt(option.capitalize(), err=True)


def _as_text(created: Created) -> str:
    return (
        f"{created.user.username} <{created.user.email}> is now an administrator.\n\n"
        "The twelve words of this identity, shown only now. Whoever has them can recover it\n"
        f"on any server; keep them where you keep keys:\n\n    {created.phrase}\n"
    )
