"""`rensai story`: one story as it stands, and what an operator says of it."""

from collections.abc import Sequence

import click
from msgspec import UNSET, UnsetType

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.model import AGE_RATINGS, STATUSES, Description, StoryFacts

_story = click.argument("address", metavar="SOURCE:SLUG")


@click.group()
def story() -> None:
    """One story: how it stands, whom it is for, what it is sorted by, and its translations.

    A story is named by its source and its slug, such as truyen:than-dao; the source of what is
    uploaded here is local and may be left out.
    """


@story.command()
@_story
@json_option
@click.pass_obj
def show(shell: Shell, *, address: str, as_json: bool) -> None:
    """Everything that can be searched of a story, and whether everybody may read it.

    \b
    Examples:
      rensai story show truyen:than-dao
      rensai story show my-own-story --json | jq .terms
    """

    async def work(services: Services) -> StoryFacts:
        reads = services.db.primary
        (found,) = await service.facts_of(reads, [await service.story_at(reads, address)])
        return found

    found = shell.run(work)
    answer(found, as_json=as_json, text=as_text(found))


@story.command()
@_story
@click.option("--age", type=click.Choice(AGE_RATINGS), help="Whom it is for.")
@click.option("--no-age", is_flag=True, help="Nobody knows whom it is for.")
@click.option("--tag", "tags", multiple=True, help="A tag that readers see; for each one once.")
@click.option("--no-tags", is_flag=True, help="No such tags.")
@click.option("--hidden-tag", "hidden", multiple=True, help="A tag for search alone.")
@click.option("--no-hidden-tags", is_flag=True, help="No such tags.")
@json_option
@click.pass_obj
def describe(
    shell: Shell,
    *,
    address: str,
    age: str | None,
    no_age: bool,
    tags: Sequence[str],
    no_tags: bool,
    hidden: Sequence[str],
    no_hidden_tags: bool,
    as_json: bool,
) -> None:
    """Say whom a story is for, and by which tags it is found.

    Tags are each time the full set. What is not named stays as it is.

    \b
    Examples:
      rensai story describe truyen:than-dao --age teen --tag cultivation --tag "slow burn"
      rensai story describe truyen:than-dao --hidden-tag "main character dies"
      rensai story describe truyen:than-dao --no-age --no-tags
    """
    said = Description(
        age_rating=_age(age, empty=no_age),
        tags=_full_set("tag", tags, empty=no_tags),
        hidden_tags=_full_set("hidden-tag", hidden, empty=no_hidden_tags),
    )
    if said == Description():
        raise click.UsageError("Say something of it: --age, --tag, --hidden-tag, or --no-...")

    async def work(services: Services) -> bool:
        async with services.db.transaction() as tx:
            return await service.describe_story(tx, await service.story_at(tx, address), said)

    _tell(shell.run(work), address, as_json=as_json)


@story.command()
@_story
@click.argument("taxonomy")
@click.argument("terms", nargs=-1, metavar="[TERM]...")
@click.option("--create", is_flag=True, help="Add the terms that are not there yet.")
@click.option("--none", "empty", is_flag=True, help="None of them.")
@json_option
@click.pass_obj
def terms(
    shell: Shell,
    *,
    address: str,
    taxonomy: str,
    terms: Sequence[str],
    create: bool,
    empty: bool,
    as_json: bool,
) -> None:
    """Let a story have these terms of a taxonomy, and no others of it.

    A term is named by its slug or its name.

    \b
    Examples:
      rensai story terms truyen:than-dao fandom naruto "Harry Potter" --create
      rensai story terms truyen:than-dao warning --none
    """
    if bool(terms) == empty:
        raise click.UsageError("Name the terms, or say --none.")

    async def work(services: Services) -> bool:
        async with services.db.transaction() as tx:
            story_id = await service.story_at(tx, address)
            return await service.assign_terms(
                tx, services.clock, story_id, taxonomy, terms, create=create
            )

    _tell(shell.run(work), address, as_json=as_json)


@story.command()
@click.argument("addresses", nargs=-1, required=True, metavar="SOURCE:SLUG SOURCE:SLUG...")
@json_option
@click.pass_obj
def link(shell: Shell, *, addresses: Sequence[str], as_json: bool) -> None:
    """Let stories be translations of one another, with all that are so already.

    \b
    Example:
      rensai story link truyen:than-dao novels:way-of-gods
    """

    async def work(services: Services) -> bool:
        async with services.db.transaction() as tx:
            ids = [await service.story_at(tx, address) for address in addresses]
            return await service.link_translations(tx, ids)

    changed = shell.run(work)
    answer(
        {"stories": addresses, "changed": changed},
        as_json=as_json,
        text="They are translations of one another now."
        if changed
        else "They were translations of one another already.",
    )


@story.command()
@_story
@json_option
@click.pass_obj
def unlink(shell: Shell, *, address: str, as_json: bool) -> None:
    """Let a story no longer be a translation of others.

    \b
    Example:
      rensai story unlink novels:way-of-gods
    """

    async def work(services: Services) -> bool:
        async with services.db.transaction() as tx:
            return await service.unlink_translation(tx, await service.story_at(tx, address))

    _tell(shell.run(work), address, as_json=as_json)


def as_text(found: StoryFacts) -> str:
    """A story as lines of a name and a value; what nobody has said is left out."""
    of_taxonomy: dict[str, list[str]] = {}
    for term in found.terms:
        of_taxonomy.setdefault(term.taxonomy, []).append(term.name)
    others, rating = found.translation_count, found.rating_avg
    values: list[tuple[str, str | None]] = [
        ("story", f"{found.source}:{found.slug}"),
        ("title", found.title),
        ("original", found.title_original),
        ("aliases", ", ".join(found.aliases)),
        ("authors", ", ".join(found.authors)),
        ("artists", ", ".join(found.artists)),
        ("id", str(found.id)),
        ("is", f"a {found.kind} in {found.language}, {STATUSES[found.status]}"),
        ("readable", "by everybody" if found.is_visible else "by nobody"),
        ("age", found.age_rating),
        ("genres", ", ".join(genre.name for genre in found.genres)),
        *((taxonomy, ", ".join(names)) for taxonomy, names in of_taxonomy.items()),
        ("tags", ", ".join(found.tags)),
        ("hidden tags", ", ".join(found.hidden_tags)),
        ("chapters", f"{found.chapter_count:,}, {found.word_count:,} words"),
        ("popularity", f"{found.popularity_score:f}"),
        ("rating", f"{rating:f}, of {found.rating_count:,}" if rating else None),
        ("translations", f"{others:,} more that can be read" if others else None),
        ("updated", f"{found.updated_at:%Y-%m-%d %H:%M} UTC"),
    ]
    width = max(len(name) for name, value in values if value)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in values if value)


def _age(age: str | None, *, empty: bool) -> str | UnsetType | None:
    if age is not None and empty:
        raise click.UsageError("--age and --no-age say different things.")
    return None if empty else UNSET if age is None else age


def _full_set(option: str, given: Sequence[str], *, empty: bool) -> list[str] | UnsetType:
    if given and empty:
        raise click.UsageError(f"--{option} and --no-{option}s say different things.")
    return list(given) if given or empty else UNSET


def _tell(changed: bool, address: str, *, as_json: bool) -> None:  # noqa: FBT001 - the answer
    text = f"Noted for {address}." if changed else f"It was so already for {address}."
    answer({"story": address, "changed": changed}, as_json=as_json, text=text)
