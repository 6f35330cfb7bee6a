"""Every task that a worker runs. A room's tasks are added here, or nobody runs them."""

from rensai.kit.tasks import AnyTask
from rensai.kit.tasks.upkeep import upkeep
from rensai.rooms.ingest.tasks import clear_away_jobs, clear_expired_marks
from rensai.rooms.readers.tasks import (
    clear_archives,
    clear_sessions,
    forget_archives,
    purge_tokens,
    send_reset,
    send_verification,
    tell_email_changed,
    tell_password_changed,
)
from rensai.rooms.search.tasks import forget_reader as forget_searches
from rensai.rooms.search.tasks import keep_whole, refresh, refresh_source, refresh_taxonomy
from rensai.rooms.shelf.tasks import forget_reader, forget_reader_again, forget_when_read
from rensai.rooms.talk import tasks as talk
from rensai.wiring.belongings import export_archive, import_archive

TASKS: tuple[AnyTask, ...] = (
    upkeep(lambda: TASKS),
    clear_sessions,
    clear_archives,
    forget_archives,
    send_reset,
    send_verification,
    tell_password_changed,
    tell_email_changed,
    export_archive,
    import_archive,
    purge_tokens,
    clear_expired_marks,
    clear_away_jobs,
    refresh,
    refresh_source,
    refresh_taxonomy,
    keep_whole,
    talk.count_reactions,
    talk.forget_reader,
    forget_searches,
    forget_when_read,
    forget_reader,
    forget_reader_again,
)
