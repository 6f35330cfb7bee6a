"""What readers have sent and is not written yet, each thing once: the newest of it."""

from collections.abc import Iterable, Iterator

import msgspec

from rensai.rooms.shelf.model import Step


class Unwritten:
    """The steps of one reader: the newest of each story, and the newest of each chapter."""

    __slots__ = ("chapters", "stories")

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.stories: dict[int, Step] = {}
        self.chapters: dict[int, Step] = {}
        for step in steps:
            self.add(step)

    def __len__(self) -> int:
        return len(self.chapters)

    def add(self, step: Step) -> None:
        """Of two at the same time, the one that is added later counts."""
        known = self.stories.get(step.story_id)
        if known is None or step.at >= known.at:
            self.stories[step.story_id] = step
        before = self.chapters.get(step.chapter_id)
        self.chapters[step.chapter_id] = step if before is None else newest(before, step)

    def add_all(self, later: "Unwritten") -> None:
        """Add what was sent after all that is here."""
        for step in (*later.stories.values(), *later.chapters.values()):
            self.add(step)

    def by_story(self) -> Iterator["Unwritten"]:
        """The same, apart for each story."""
        for story_id, last in self.stories.items():
            of_story = (one for one in self.chapters.values() if one.story_id == story_id)
            part = Unwritten(of_story)
            part.stories[story_id] = last
            yield part


def newest(before: Step, step: Step) -> Step:
    """The later of two steps in a chapter, and whether it was completed if either says so."""
    later, earlier = (step, before) if step.at >= before.at else (before, step)
    if later.completed is None and earlier.completed is not None:
        return msgspec.structs.replace(later, completed=earlier.completed)
    return later
