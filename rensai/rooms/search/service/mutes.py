"""What a reader has muted, as facet values, and the stories that this leaves out."""

from pyroaring import BitMap

from rensai.rooms.readers.door import Mutes
from rensai.rooms.search.adapters.parameters import as_name
from rensai.rooms.search.model import NOTHING, LeftOut, facet_name
from rensai.rooms.search.service.entries import BUILT_IN
from rensai.rooms.search.service.picture import Picture


def left_out(mutes: Mutes | None) -> LeftOut:
    """What is not to be found by this reader; nothing for who has muted nothing."""
    if mutes is None:
        return NOTHING
    values = {
        *(("tag", as_name(tag)) for tag in mutes.tags),
        *(("author", as_name(author)) for author in mutes.authors),
        *(("genre", slug) for slug in mutes.genres),
        *(_of_term(term) for term in mutes.terms),
    }
    return LeftOut(tuple(sorted(values)), adult=mutes.hide_adult)


def stories_left_out(picture: Picture, what: LeftOut) -> BitMap:
    """The stories with any of it; a value that nothing has leaves nothing out."""
    sets = [picture.having(facet, value) for facet, value in what.values]
    if what.adult:
        sets.append(picture.adult)
    return BitMap.union(BitMap(), *sets)


def _of_term(term: str) -> tuple[str, str]:
    taxonomy, _, slug = term.partition(":")
    return (taxonomy if taxonomy in BUILT_IN else facet_name(taxonomy)), slug
