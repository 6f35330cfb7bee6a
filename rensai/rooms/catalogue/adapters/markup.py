"""Cleaning the HTML of a chapter: what stands in the allowlist stays, everything else goes."""

import re
from collections import Counter
from html import escape, unescape

import nh3

_MARKUP = re.compile(r"<[a-zA-Z/!?]|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_TAGS = {
    *("p", "br", "hr", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("b", "strong", "i", "em", "u", "s", "del", "ins", "sub", "sup", "small", "mark"),
    *("blockquote", "q", "cite", "pre", "code", "ul", "ol", "li", "dl", "dt", "dd"),
    *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"),
    *("ruby", "rb", "rt", "rp", "details", "summary", "a"),
}
# With these goes what they contain: it is not text of the chapter.
_WITH_CONTENT = {
    *("script", "style", "svg", "math", "iframe", "object", "embed", "applet", "noscript"),
    *("template", "textarea", "select", "button", "title", "audio", "video", "canvas"),
    *("noembed", "noframes", "xmp", "plaintext"),
}
_ATTRIBUTES = {
    "*": {"lang", "dir"},
    "a": {"href"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_BREAKS_LINES = re.compile(r"<(?:p|br|div|h[1-6]|li|tr|blockquote|pre)[\s>]")

# The parser's time grows with the square of the depth and of the attributes of one tag.
_DEEPEST = 256
_MOST_TAGS = 6_000
_MOST_ATTRIBUTES = 5_000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)")
_ATTRIBUTE_GAP = re.compile(r"[\s/]")
_CLOSE_THEMSELVES = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr", "p", "li", "dt", "dd", "td", "th", "tr", "rb", "rt", "rp"),
        "option",
    }
)

_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    clean_content_tags=_WITH_CONTENT,
    attributes=_ATTRIBUTES,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow ugc",
)
_ANY_TAG = re.compile(r"<[^>]*>")
_BLANK_LINE = re.compile(r"\n(?:[^\S\n]*\n)+")


def has_markup(text: str) -> bool:
    """Whether it is HTML and not plain text, in which `<3` and `a < b` may stand."""
    return ("<" in text or "&" in text) and _MARKUP.search(text) is not None


def clean(html: str) -> str | None:
    """The part of it that may be shown, or None when it is built to be too much work."""
    if _is_bomb(html):
        return None
    cleaned = _CLEANER.clean(html)
    if _BREAKS_LINES.search(cleaned) is None:
        # A text that only has some emphasis: its lines are told by line feeds alone. In the value
        # of an attribute this does no harm, since it holds no quote.
        cleaned = cleaned.replace("\n", "<br>\n")
    return cleaned


def paragraphs(text: str) -> str:
    """Plain text as HTML: nothing in it is markup.

    Blank lines divide paragraphs, and within them a line feed is a line break; a text without any
    blank line has a paragraph on each of its lines.
    """
    escaped = escape(text.strip("\n"), quote=False)
    if _BLANK_LINE.search(escaped) is None:
        parts = escaped.split("\n")
    else:
        parts = [part.replace("\n", "<br>\n") for part in _BLANK_LINE.split(escaped)]
    return "\n".join(f"<p>{part}</p>" for part in parts if part.strip())


def text_of(cleaned: str) -> str:
    """The words of cleaned HTML, to count them and not to show them."""
    return unescape(_ANY_TAG.sub(" ", cleaned))


def _is_bomb(html: str) -> bool:
    if html.count("<") <= _DEEPEST and len(html) <= _MOST_ATTRIBUTES:
        return False
    open_now: Counter[str] = Counter()
    depth = opened = 0
    for closing, name, rest in _TAG.findall(html):
        lowered = name.lower()
        if closing:
            if open_now[lowered]:
                open_now[lowered] -= 1
                depth -= 1
            continue
        if len(rest) > _MOST_ATTRIBUTES and len(_ATTRIBUTE_GAP.findall(rest)) > _MOST_ATTRIBUTES:
            return True
        if lowered in _CLOSE_THEMSELVES:
            continue
        opened += 1
        open_now[lowered] += 1
        depth += 1
        if depth > _DEEPEST or opened > _MOST_TAGS:
            return True
    return False
