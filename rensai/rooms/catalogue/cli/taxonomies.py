"""`rensai taxonomy` and `rensai term`: what stories are sorted by."""

import click

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.cli.table import table
from rensai.rooms.catalogue.model import Taxonomy, Term, TermInUse

_yes = click.option("--yes", is_flag=True, help="Do it without asking.")


@click.group()
def taxonomy() -> None:
    """What stories are sorted by besides genres.

    Every instance has the taxonomies fandom and warning; define others as you need them. Their
    entries are terms: see `rensai term --help`.
    """


@taxonomy.command("list")
@json_option
@click.pass_obj
def list_taxonomies(shell: Shell, *, as_json: bool) -> None:
    """Every taxonomy, and how many of its terms a story may have."""

    async def work(services: Services) -> list[Taxonomy]:
        return await service.list_taxonomies(services.db.primary)

    found = shell.run(work)
    rows = [(one.slug, one.name, "several" if one.is_multiple else "one") for one in found]
    answer(found, as_json=as_json, text=table([("SLUG", "NAME", "TERMS OF A STORY"), *rows]))


@taxonomy.command()
@click.argument("slug")
@click.option("--name", required=True, help="What readers see.")
@click.option(
    "--multiple/--single",
    "is_multiple",
    default=True,
    show_default=True,
    help="Whether a story may have several of its terms.",
)
@json_option
@click.pass_obj
def define(shell: Shell, *, slug: str, name: str, is_multiple: bool, as_json: bool) -> None:
    """Make a taxonomy. Neither its slug nor how many terms a story has can be changed later.

    \b
    Examples:
      rensai taxonomy define pairing --name "Pairing"
      rensai taxonomy define era --name "Thời đại" --single
    """

    async def work(services: Services) -> bool:
        async with services.db.transaction() as tx:
            return await service.define_taxonomy(
                tx, services.clock, slug, name=name, is_multiple=is_multiple
            )

    is_new = shell.run(work)
    answer(
        {"slug": slug, "is_new": is_new},
        as_json=as_json,
        text=f"Defined {slug}." if is_new else f"There is {slug} already, just so.",
    )


@taxonomy.command()
@click.argument("slug")
@click.argument("name")
@json_option
@click.pass_obj
def rename(shell: Shell, *, slug: str, name: str, as_json: bool) -> None:
    """Let a taxonomy be called otherwise. Its slug stays, and so does every address with it.

    \b
    Example:
      rensai taxonomy rename fandom "Đồng nhân"
    """

    async def work(services: Services) -> bool:
        async with services.db.transaction() as tx:
            return await service.rename_taxonomy(tx, slug, name)

    _tell_renamed(shell.run(work), slug, as_json=as_json)


@taxonomy.command()
@click.argument("slug")
@_yes
@json_option
@click.pass_obj
def remove(shell: Shell, *, slug: str, yes: bool, as_json: bool) -> None:
    """Remove a taxonomy with all its terms. Stories lose them and stay.

    \b
    Example:
      rensai taxonomy remove pairing --yes
    """
    _ask(f"Remove the taxonomy {slug} and take its terms from every story?", yes=yes)

    async def work(services: Services) -> int:
        return await service.remove_taxonomy(services.db, slug)

    _tell_removed(shell.run(work), slug, as_json=as_json)


@click.group()
def term() -> None:
    """The entries of taxonomies, such as the fandom Naruto or the warning gore.

    `rensai story terms` gives them to stories.
    """


@term.command("list")
@click.argument("taxonomy_slug", metavar="TAXONOMY")
@json_option
@click.pass_obj
def list_terms(shell: Shell, *, taxonomy_slug: str, as_json: bool) -> None:
    """The terms of a taxonomy, and how many stories have each.

    \b
    Example:
      rensai term list fandom --json | jq '.[] | select(.stories == 0)'
    """

    async def work(services: Services) -> list[TermInUse]:
        return await service.list_terms(services.db.primary, taxonomy_slug)

    found = shell.run(work)
    rows = [(one.slug, one.name, f"{one.stories:,}") for one in found]
    text = table([("SLUG", "NAME", "STORIES"), *rows]) if rows else "It has no terms yet."
    answer(found, as_json=as_json, text=text)


@term.command()
@click.argument("taxonomy_slug", metavar="TAXONOMY")
@click.argument("name")
@click.option("--slug", help="What stands in addresses.  [default: made of the name]")
@json_option
@click.pass_obj
def add(shell: Shell, *, taxonomy_slug: str, name: str, slug: str | None, as_json: bool) -> None:
    """Add a term to a taxonomy. Its slug cannot be changed later.

    \b
    Examples:
      rensai term add fandom "Harry Potter"
      rensai term add fandom "火影忍者" --slug naruto
    """

    async def work(services: Services) -> tuple[Term, bool]:
        async with services.db.transaction() as tx:
            return await service.add_term(tx, services.clock, taxonomy_slug, name, slug=slug)

    made, is_new = shell.run(work)
    answer(
        {"taxonomy": made.taxonomy, "slug": made.slug, "name": made.name, "is_new": is_new},
        as_json=as_json,
        text=f"Added {made.slug}." if is_new else f"There is {made.slug} already, just so.",
    )


@term.command("rename")
@click.argument("taxonomy_slug", metavar="TAXONOMY")
@click.argument("slug")
@click.argument("name")
@json_option
@click.pass_obj
def rename_term(shell: Shell, *, taxonomy_slug: str, slug: str, name: str, as_json: bool) -> None:
    """Let a term be called otherwise. Its slug stays.

    \b
    Example:
      rensai term rename fandom hp "Harry Potter"
    """

    async def work(services: Services) -> bool:
        return await service.rename_term(services.db, taxonomy_slug, slug, name)

    _tell_renamed(shell.run(work), slug, as_json=as_json)


@term.command("remove")
@click.argument("taxonomy_slug", metavar="TAXONOMY")
@click.argument("slug")
@_yes
@json_option
@click.pass_obj
def remove_term(shell: Shell, *, taxonomy_slug: str, slug: str, yes: bool, as_json: bool) -> None:
    """Remove a term. Stories lose it and stay.

    \b
    Example:
      rensai term remove warning gore --yes
    """
    _ask(f"Remove the term {slug} of {taxonomy_slug} and take it from every story?", yes=yes)

    async def work(services: Services) -> int:
        return await service.remove_term(services.db, taxonomy_slug, slug)

    _tell_removed(shell.run(work), slug, as_json=as_json)


def _ask(question: str, *, yes: bool) -> None:
    if not yes:
        click.confirm(question, abort=True, err=True)


def _tell_renamed(changed: bool, slug: str, *, as_json: bool) -> None:  # noqa: FBT001 - the answer
    text = f"Renamed {slug}." if changed else f"{slug} is called that already."
    answer({"slug": slug, "changed": changed}, as_json=as_json, text=text)


def _tell_removed(stories: int, slug: str, *, as_json: bool) -> None:
    had = f"{stories:,} {'story' if stories == 1 else 'stories'} had it"
    answer({"slug": slug, "stories": stories}, as_json=as_json, text=f"Removed {slug}; {had}.")
