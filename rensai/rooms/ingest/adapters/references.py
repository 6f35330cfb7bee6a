"""The name of an item within its request: two items with the same name are one."""

import hashlib

_LONGEST = 191
_DIGEST = 64


def reference(*parts: str) -> str:
    """The parts joined by colons; a hash where that would be too long or ambiguous."""
    joined = ":".join(parts)
    if len(joined) <= _LONGEST and joined.count(":") == len(parts) - 1 and "~" not in joined:
        return joined
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{joined[: _LONGEST - _DIGEST - 1]}~{digest}"
