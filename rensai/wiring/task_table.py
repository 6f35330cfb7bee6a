"""Every task that a worker runs. A room's tasks are added here, or nobody runs them."""

from rensai.kit.tasks import AnyTask
from rensai.kit.tasks.upkeep import upkeep
from rensai.rooms.ingest.tasks import clear_away_jobs, clear_expired_marks
from rensai.rooms.readers.tasks import clear_sessions
from rensai.rooms.search.tasks import keep_whole, refresh, refresh_source, refresh_taxonomy
from rensai.rooms.shelf.tasks import forget_reader, forget_reader_again, forget_when_read

TASKS: tuple[AnyTask, ...] = (
    upkeep(lambda: TASKS),
    clear_sessions,
    clear_expired_marks,
    clear_away_jobs,
    refresh,
    refresh_source,
    refresh_taxonomy,
    keep_whole,
    forget_when_read,
    forget_reader,
    forget_reader_again,
)
