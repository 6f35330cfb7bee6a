"""Reports: what somebody thinks should not be here."""

from datetime import datetime
from enum import Enum
from uuid import UUID

import msgspec

from rensai.rooms.catalogue.door import ChapterMention, StoryMention
from rensai.rooms.readers.door import Person
from rensai.rooms.talk.model.comments import Comment

LONGEST_NOTES = 500
"""Characters, of whoever reports and of whoever resolves."""


class Target(Enum):
    """What can be reported."""

    STORY = "story"
    CHAPTER = "chapter"
    COMMENT = "comment"


class Reason(Enum):
    """Why."""

    SPAM = "spam"
    INAPPROPRIATE = "inappropriate"
    COPYRIGHT = "copyright"
    OTHER = "other"


class Status(Enum):
    """How a report stands: nobody has decided, something was done, or nothing needs to be."""

    OPEN = "open"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"


class Report(msgspec.Struct, frozen=True):
    """A report as it is stored."""

    id: int
    uid: UUID
    reporter_user_id: int | None
    target_type: str
    target_id: int
    reason: str
    notes: str | None
    quoted: str | None
    status: str
    resolution: str | None
    resolved_by: int | None
    resolved_at: datetime | None
    created_at: datetime


class Weighed(msgspec.Struct, frozen=True):
    """Why somebody reports something, fit to be stored."""

    reason: Reason
    notes: str | None


class Complaint(msgspec.Struct, frozen=True):
    """What is reported, and why; `quoted` is what a comment says at that moment."""

    target: Target
    target_id: int
    why: Weighed
    quoted: str | None = None


class Filed(msgspec.Struct, frozen=True):
    """A report that is there now; `is_new` is False when the same was open already."""

    report: Report
    is_new: bool


class Docket(msgspec.Struct, frozen=True):
    """A report with all that whoever decides wants to see; what is gone is None."""

    report: Report
    reporter: Person | None
    resolver: Person | None
    story: StoryMention | None
    chapter: ChapterMention | None
    comment: Comment | None
    comment_author: Person | None
    open_about_it: int
    """How many open reports there are about the same thing."""
