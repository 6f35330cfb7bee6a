"""What is counted of who looks at what."""

from uuid import UUID

import msgspec


class ViewBatch(msgspec.Struct, frozen=True):
    """What is added up together: how often each story was seen and each chapter read."""

    id: UUID
    """Stored with it, so that it is never added twice."""

    stories: dict[int, int]
    chapters: dict[int, int]
