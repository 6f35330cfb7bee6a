"""Archives over `/api/v1/users/me`: all that a reader has, taken along or brought here."""

import tempfile
from datetime import datetime
from typing import Annotated, Any, BinaryIO, Literal, cast
from uuid import UUID

import anyio.to_thread
from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIFormat
from litestar.params import PathParameter
from litestar.response import Stream
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED
from msgspec import Struct

from rensai.kit.errors import Invalid, TooLarge
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.errors import UnsupportedMediaType
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.readers.api.described import ArchiveBody
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.errors import (
    ArchiveExpired,
    ArchiveNotReady,
    ImportUnderWay,
    TransferNotFound,
)
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.transfers import (
    ArchiveUnreadable,
    Direction,
    FileCount,
    Transfer,
)
from rensai.rooms.readers.service import transfers as service

MB = 1024 * 1024
_TYPES = frozenset({"application/zip", "application/x-zip-compressed", "application/octet-stream"})
_KEY: tuple[type, ...] = (str,)

# Text for the router, so that what is no id at all is told like one that nobody has.
ArchiveId = Annotated[
    str,
    PathParameter(
        description="The `id` that asking for it gave.",
        schema_extra={"format": OpenAPIFormat.UUID.value},
    ),
]
Anyone = Request[Any, Any, Any]  # Any: whoever asks


class Archive(Struct, frozen=True, rename="camel"):
    """An archive: how far it is, and what became of each file."""

    id: UUID
    state: Literal["waiting", "running", "done", "failed"]
    bytes: int | None
    lines_done: int
    files: dict[str, FileCount]
    problem: str | None
    created_at: datetime
    ended_at: datetime | None
    expires_at: datetime

    @classmethod
    def of(cls, transfer: Transfer) -> "Archive":
        return cls(
            id=transfer.id,
            state=cast("Literal['waiting', 'running', 'done', 'failed']", transfer.state),
            bytes=transfer.archive_bytes,
            lines_done=transfer.lines_done,
            files=service.counts_of(transfer),
            problem=transfer.problem,
            created_at=transfer.created_at,
            ended_at=transfer.ended_at,
            expires_at=transfer.expires_at,
        )


@post(
    "/api/v1/users/me/exports",
    status_code=HTTP_202_ACCEPTED,
    tags=["users"],
    summary="Export all that I have",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def ask_for_export(
    services: NamedDependency[Services], user: NamedDependency[User | None]
) -> Response[Archive]:
    """Have an archive made of everything that this site has of the account.

    It is made in the background; while one is in the making, that is the one. Five a day.
    """
    reader = require_role(user, Role.USER)
    asked = await service.ask_for_export(services, reader.id)
    return personal(Archive.of(asked), status=HTTP_202_ACCEPTED)


@get(
    "/api/v1/users/me/exports",
    tags=["users"],
    summary="My exports",
    before_request=known_filters,
    security=SIGNED_IN,
    opt={"scope": "account:read"},
)
async def list_my_exports(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[Archive]]:
    """The archives that were asked for, latest first, until their time runs out."""
    reader = require_role(user, Role.USER)
    return personal(await _page(services, reader, Direction.EXPORT, limit, cursor))


@get(
    "/api/v1/users/me/exports/{export_id:str}",
    tags=["users"],
    summary="One of my exports",
    security=SIGNED_IN,
    opt={"scope": "account:read", "errors": (TransferNotFound,)},
)
async def my_export(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    export_id: ArchiveId,
) -> Response[Archive]:
    """How far it is."""
    reader = require_role(user, Role.USER)
    found = await service.transfer_of(
        services.db.primary, reader.id, Direction.EXPORT, _uid(export_id)
    )
    return personal(Archive.of(found))


@get(
    "/api/v1/users/me/exports/{export_id:str}/archive",
    tags=["users"],
    summary="Fetch an export",
    security=SIGNED_IN,
    opt={
        "scope": "account:read",
        "errors": (TransferNotFound, ArchiveNotReady, ArchiveExpired),
    },
    media_type="application/zip",
    responses={
        HTTP_200_OK: ResponseSpec(
            bytes, generate_examples=False, media_type=cast("Any", "application/zip")
        )
    },
)
async def fetch_export(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    export_id: ArchiveId,
) -> Stream:
    """The archive itself, a ZIP; docs/export-format.md says what is in it."""
    reader = require_role(user, Role.USER)
    pieces = await service.open_archive(services, reader.id, _uid(export_id))
    return Stream(
        pieces,
        media_type="application/zip",
        headers={
            "Cache-Control": "private, no-store",
            "Content-Disposition": 'attachment; filename="rensai-archive.zip"',
        },
    )


@post(
    "/api/v1/users/me/imports",
    status_code=HTTP_202_ACCEPTED,
    request_max_body_size=None,
    operation_class=ArchiveBody,
    tags=["users"],
    summary="Bring an archive",
    security=SIGNED_IN,
    opt={
        "scope": "account:write",
        "errors": (ImportUnderWay, TooLarge, UnsupportedMediaType, Invalid),
    },
)
async def bring_archive(
    request: Anyone, services: NamedDependency[Services], user: NamedDependency[User | None]
) -> Response[Archive]:
    """Take in an archive that this site or another one has made: its bytes are the body.

    What is newer here stays; stories that are not here are passed over. Twice is once.
    """
    reader = require_role(user, Role.USER)
    if request.content_type[0] not in _TYPES or request.headers.get("content-encoding"):
        raise UnsupportedMediaType("Send the archive as application/zip, not packed again.")
    most = services.config.import_max_mb * MB
    with tempfile.TemporaryFile(dir=services.config.data_dir) as kept:
        file = cast("BinaryIO", kept)
        size = await _receive(request, file, most)
        try:
            begun = await service.bring(services, reader.id, file, size)
        except ArchiveUnreadable as problem:
            raise Invalid(str(problem)) from problem
    return personal(Archive.of(begun), status=HTTP_202_ACCEPTED)


@get(
    "/api/v1/users/me/imports",
    tags=["users"],
    summary="My imports",
    before_request=known_filters,
    security=SIGNED_IN,
    opt={"scope": "account:read"},
)
async def list_my_imports(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[Archive]]:
    """The archives that were brought, latest first."""
    reader = require_role(user, Role.USER)
    return personal(await _page(services, reader, Direction.IMPORT, limit, cursor))


@get(
    "/api/v1/users/me/imports/{import_id:str}",
    tags=["users"],
    summary="One of my imports",
    security=SIGNED_IN,
    opt={"scope": "account:read", "errors": (TransferNotFound,)},
)
async def my_import(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    import_id: ArchiveId,
) -> Response[Archive]:
    """How far it is, and how many lines of each file were taken in."""
    reader = require_role(user, Role.USER)
    found = await service.transfer_of(
        services.db.primary, reader.id, Direction.IMPORT, _uid(import_id)
    )
    return personal(Archive.of(found))


async def _receive(request: Anyone, file: BinaryIO, most: int) -> int:
    """Write the body into a file as it comes, and stop where it is too long."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        raise TooLarge
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise TooLarge
        await anyio.to_thread.run_sync(file.write, piece)
    return size


async def _page(
    services: Services, reader: User, direction: Direction, limit: int, cursor: str | None
) -> Page[Archive]:
    secret = services.config.session_secret
    listing = cursors.kind("transfers", reader.id, direction.value)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, _KEY)
    found = await service.list_transfers(
        services.db.primary,
        reader.id,
        direction,
        before=None if after is None else UUID(str(after[0])),
        limit=limit,
    )
    page = page_of(found, limit, lambda last: cursors.encode(secret, listing, (str(last.id),)))
    return Page([Archive.of(one) for one in page.items], page.next_cursor, page.has_more)


def _uid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as problem:
        raise TransferNotFound from problem


routes = [
    ask_for_export,
    list_my_exports,
    my_export,
    fetch_export,
    bring_archive,
    list_my_imports,
    my_import,
]
