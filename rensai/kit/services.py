"""What a process has open and hands to its edges: one of each, made once at the start."""

from dataclasses import dataclass

from rensai.config import Config
from rensai.kit.cache import Cache
from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.limits import Limits


@dataclass(frozen=True, slots=True)
class Services:
    """The open parts of one process."""

    config: Config
    db: Database
    clock: Clock
    cache: Cache
    limits: Limits
