"""How much a worker takes at once: as much as it can write in about half a second."""

from dataclasses import dataclass
from pathlib import Path

SMALLEST = 20
LARGEST = 1000
_FIRST = 300
_QUICK_SECONDS = 0.25
_SLOW_SECONDS = 1.0
_STATM = Path("/proc/self/statm")
_PAGE = 4096


@dataclass(slots=True)
class Pace:
    """The size of the next batch."""

    size: int = _FIRST

    def learn(self, jobs: int, seconds: float) -> None:
        """Take more next time if the batch was full and quick, less if it was slow."""
        if seconds > _SLOW_SECONDS:
            self.size = max(SMALLEST, self.size // 2)
        elif seconds < _QUICK_SECONDS and jobs >= self.size:
            self.size = min(LARGEST, self.size * 3 // 2)


def memory_used() -> int:
    """The bytes of memory that this process occupies; 0 where that cannot be told."""
    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
