"""Stories and chapters to push."""

from typing import Any

STORY: dict[str, Any] = {
    "source_story_id": "s-1",
    "slug": "than-dao",
    "title": "Thần Đạo",
    "updated_at_source": "2026-02-21T08:00:00Z",
}


def story(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A story that is right, but for the changes."""
    return STORY | {"source_story_id": f"s-{number}", "slug": f"story-{number}"} | changes


def chapter(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A chapter that is right, but for the changes."""
    item = {
        "source_story_id": "s-1",
        "source_chapter_id": f"c-{number}",
        "chapter_no": number,
        "slug": f"chuong-{number}",
        "title": f"Chương {number}",
        "content_raw": f"Ngày xửa ngày xưa, lần thứ {number}.",
        "updated_at_source": "2026-02-21T08:05:00Z",
    }
    return item | changes


def without(item: dict[str, Any], *names: str) -> dict[str, Any]:
    """The item without these fields."""
    return {name: value for name, value in item.items() if name not in names}
