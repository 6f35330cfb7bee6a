"""Commands about accounts.

The command tree hands down, as click's `obj`, a function that opens the services of this
installation: commands work on the same data as the server, also while it runs.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import click

from rensai.kit.errors import RensaiError
from rensai.kit.services import Services
from rensai.rooms.readers import service
from rensai.rooms.readers.model import Created

Opener = Callable[[], AbstractAsyncContextManager[Services]]


@click.group()
def admin() -> None:
    """The people who run this site."""


@admin.command()
@click.option("--username", help="Its name.  [default: ADMIN_USERNAME, else asked for]")
@click.option("--email", help="Its e-mail address.  [default: ADMIN_EMAIL, else asked for]")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@click.option("--another", is_flag=True, help="Make one more when there is an administrator.")
@click.option("--json", "as_json", is_flag=True, help="Print the account as JSON.")
@click.pass_obj
def create(
    opener: Opener,
    *,
    username: str | None,
    email: str | None,
    password_stdin: bool,
    another: bool,
    as_json: bool,
) -> None:
    """Make an administrator.

    The password comes from standard input, from ADMIN_PASSWORD, or is asked for; it is never an
    argument, since other users of the machine can read those. The twelve words that are printed
    are shown this once.

    \b
    Examples:
      rensai admin create --username ada --email ada@example.com
      pass show rensai | rensai admin create --username ada --email ada@example.com --password-stdin
    """

    async def run() -> Created:
        async with opener() as services:
            config = services.config
            return await _create(
                services,
                username=username or config.admin_username or _ask("Username"),
                email=email or config.admin_email or _ask("E-mail address"),
                password=_password(config.admin_password, from_stdin=password_stdin),
                another=another,
            )

    created = asyncio.run(run())
    click.echo(_as_json(created) if as_json else _as_text(created))


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
    except RensaiError as problem:
        raise click.ClickException(_sentence(problem)) from problem


def _sentence(problem: RensaiError) -> str:
    """The error with its details on lines of their own, and a way on where there is one."""
    details = problem.details if isinstance(problem.details, list) else []
    lines = [
        problem.message,
        *(f"  {each['path']}: {each['message']}" for each in details if isinstance(each, dict)),
    ]
    if problem.code == "ADMIN_EXISTS":
        lines.append("Use --another to make one more.")
    return "\n".join(lines)


def _password(configured: str | None, *, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if configured:
        return configured
    if not sys.stdin.isatty():
        raise click.UsageError("No password: give --password-stdin or set ADMIN_PASSWORD.")
    return click.prompt("Password", hide_input=True, confirmation_prompt=True)


def _ask(what: str) -> str:
    if not sys.stdin.isatty():
        raise click.UsageError(f"No {what.lower()}: give it as an option.")
    return click.prompt(what)


def _as_json(created: Created) -> str:
    user = created.user
    return json.dumps(
        {
            "id": str(user.uid),
            "username": user.username,
            "email": user.email,
            "role": user.role,
            "phrase": created.phrase,
        }
    )


def _as_text(created: Created) -> str:
    return (
        f"{created.user.username} <{created.user.email}> is now an administrator.\n\n"
        "The twelve words of this identity, shown only now. Whoever has them can recover it\n"
        f"on any server; keep them where you keep keys:\n\n    {created.phrase}\n"
    )
