"""The table of commands. A command is imported when it runs, so that help answers at once."""

import sys
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import click

from rensai import __version__
from rensai.kit.command import Shell
from rensai.wiring.failure import one_line

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from rensai.kit.services import Services


class Entry(NamedTuple):
    """One line of the table: where the command is, and what it does in a few words."""

    where: str
    summary: str


COMMANDS = {
    "serve": Entry("rensai.wiring.commands:serve", "Run the site and its background tasks."),
    "worker": Entry("rensai.wiring.commands:worker", "Run background tasks only."),
    "demo": Entry("rensai.wiring.commands:demo", "Run it all with a small library to look at."),
    "migrate": Entry("rensai.wiring.commands:migrate", "Bring the database up to this release."),
    "admin": Entry("rensai.rooms.readers.cli.admins:admin", "Create administrators."),
    "user": Entry("rensai.wiring.commands_user:user", "Accounts: find, promote, ban, export."),
    "key": Entry("rensai.rooms.ingest.cli.keys:key", "The keys by which crawlers push."),
    "push": Entry("rensai.wiring.commands_push:push", "Push a file or a folder to a server."),
    "ingest": Entry("rensai.rooms.ingest.cli.status:ingest", "What was pushed, how it gets on."),
    "ingest-worker": Entry("rensai.rooms.ingest.cli.work:ingest_worker", "Write what was pushed."),
    "replay-dead-letter": Entry(
        "rensai.rooms.ingest.cli.work:replay_dead_letter", "Try pushed items again that failed."
    ),
    "story": Entry("rensai.rooms.catalogue.cli.stories:story", "One story and what you say of it."),
    "taxonomy": Entry(
        "rensai.rooms.catalogue.cli.taxonomies:taxonomy", "What stories are sorted by."
    ),
    "term": Entry("rensai.rooms.catalogue.cli.taxonomies:term", "The entries of taxonomies."),
    "policy": Entry(
        "rensai.rooms.catalogue.cli.policies:policy", "Which sources everybody may read."
    ),
    "recount-worker": Entry(
        "rensai.rooms.catalogue.cli.recounts:recount_worker", "Count stories that have changed."
    ),
    "recount-story": Entry(
        "rensai.rooms.catalogue.cli.recounts:recount_story", "Count one story now."
    ),
    "search": Entry("rensai.rooms.search.cli:search", "The search index: build, compare, explain."),
    "doctor": Entry("rensai.wiring.commands_doctor:doctor", "Check everything; say how to mend."),
    "config": Entry("rensai.wiring.commands_config:config", "Show every setting and its source."),
    "tasks": Entry("rensai.kit.tasks.cli:tasks", "Background tasks: what waits, what failed."),
    "openapi": Entry("rensai.wiring.commands:openapi", "Print the description of the API."),
}


class Table(click.Group):
    """A group whose commands are imported on use and summarised without import."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.where.partition(":")
        found = getattr(import_module(module), name)
        assert isinstance(found, click.Command)  # noqa: S101 - the table is ours
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(
    cls=Table,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `rensai demo`, or `rensai doctor` when something is wrong. "
    "Each command explains itself: `rensai serve --help`.",
)
@click.version_option(__version__, prog_name="rensai")
@click.pass_context
def rensai(ctx: click.Context) -> None:
    """One self-hosted home for serial fiction: novels and comics.

    Settings come from the environment; `rensai config show` lists them all. With none set,
    everything runs embedded in one data folder.
    """
    ctx.obj = Shell(_open)


@asynccontextmanager
async def _open() -> "AsyncGenerator[Services]":
    from rensai.config import load, secrets_of  # noqa: PLC0415 - see above
    from rensai.kit import log  # noqa: PLC0415
    from rensai.kit.db import NotMigrated  # noqa: PLC0415
    from rensai.kit.migrate import pending  # noqa: PLC0415
    from rensai.wiring.services import open_services  # noqa: PLC0415

    config = load()
    log.configure("warning", config.log_format, secrets=secrets_of(config))
    async with open_services(config) as services:
        if await pending(services.db.primary):
            raise NotMigrated
        yield services


def main() -> None:
    """Run a command."""
    with one_line():
        rensai(prog_name="rensai")
    sys.exit(0)
