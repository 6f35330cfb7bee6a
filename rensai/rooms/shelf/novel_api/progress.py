"""Where a reader is, over the novel API."""

from litestar import Response, delete, post, put
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from rensai.kit.services import Services
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.shelf.novel_api.shapes import (
    WRITE,
    NovelMissing,
    NovelPlace,
    NovelPlaces,
    NovelProgress,
    NovelProgressOfMany,
    StoryId,
)
from rensai.rooms.shelf.service import history as service
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.track import track, track_all


@put(
    "/wp-json/novel/v1/me/progress/{story_id:int}",
    tags=["library"],
    summary="Say where I am in a story",
    security=SIGNED_IN,
    opt=WRITE,
)
async def set_progress(
    data: JSONBody[NovelPlace],
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    story_id: StoryId,
) -> Response[NovelProgress]:
    """The chapter is a read one from now on, and the story is followed unless the shelf says
    something else of it. Of several devices the newest wins.

    `chapter_no` is answered as the chapter has it. What is accepted is written within seconds.
    """
    reader = require_role(user, Role.USER)
    return personal(
        NovelProgress.of(await track(services, progress, reader.id, data.sent(story_id)))
    )


@post(
    "/wp-json/novel/v1/me/progress/bulk",
    status_code=HTTP_200_OK,
    tags=["library"],
    summary="Say where I was in many stories",
    security=SIGNED_IN,
    opt=WRITE,
)
async def set_progress_of_many(
    data: JSONBody[NovelPlaces],
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
) -> Response[NovelProgressOfMany]:
    """For a device that was offline: each item may say with `updated_at` when it was.

    What is not here any more is listed in `not_found` and holds up nothing.
    """
    reader = require_role(user, Role.USER)
    sent = [item.sent() for item in data.items]
    steps = await track_all(services, progress, reader.id, sent)
    accepted = [NovelProgress.of(step) for step in steps if step is not None]
    missing = [
        NovelMissing(one.story_id, one.chapter_id)
        for one, step in zip(sent, steps, strict=True)
        if step is None
    ]
    return personal(NovelProgressOfMany(len(accepted), accepted, missing))


@delete(
    "/wp-json/novel/v1/me/progress/{story_id:int}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["library"],
    summary="Forget where I am in a story",
    security=SIGNED_IN,
    opt=WRITE,
)
async def forget_progress(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    story_id: StoryId,
) -> None:
    """The story leaves what is being read; which chapters were read is another matter."""
    reader = require_role(user, Role.USER)
    await service.forget_place(services.db, progress, reader.id, story_id)


routes = [set_progress, set_progress_of_many, forget_progress]
