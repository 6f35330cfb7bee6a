"""The table of settings: every name, default and meaning, in the order people read them.

A field of `Config` is one setting. Its name in the environment is the field's in capitals,
save for the two that carry the product's name because others may use the bare word.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_type_hints

from rensai.config_kinds import (
    FOLDER,
    NETWORKS,
    SWITCH,
    TEXT,
    About,
    Network,
    Setting,
    choice,
    text_of,
    url,
    whole,
)
from rensai.config_people import PeopleSettings

_POSTGRES = url("postgres", "postgresql", example="postgresql://user:password@host:5432/rensai")
_HTTP = url("http", "https", example="https://s3.example.com")
_SITE = url("http", "https", example="https://books.example.com", path=False)
_GATES = choice("off", "warn", "require")
_REDIS = url("redis", "rediss", "unix", example="redis://127.0.0.1:6379/0")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Config(PeopleSettings):
    """Every setting of one process, read and checked."""

    # Where it runs
    data_dir: Annotated[
        Path,
        About(
            FOLDER,
            "The one folder that holds the embedded database, stored files and generated secrets.",
            words="/var/lib/rensai for root, else the user's own data folder",
        ),
    ]
    node_env: Annotated[
        str,
        About(
            choice("development", "production", "test"),
            "production asks for BASE_URL and for secrets that you made and keep.",
            "development",
        ),
    ]
    run_mode: Annotated[
        str,
        About(
            choice("all", "web", "worker"),
            "What this process tree does: answer requests, run background tasks, or both.",
            "all",
        ),
    ]
    host: Annotated[str, About(TEXT, "The address to listen on.", "127.0.0.1")]
    port: Annotated[int, About(whole(1, 65535), "The port to listen on.", "3000")]
    base_url: Annotated[
        str,
        About(
            _SITE,
            "The address by which the world reaches this site; links, feeds and the fediverse "
            "use it.",
            words="http://127.0.0.1:{PORT}; required in production",
        ),
    ]
    web_processes: Annotated[
        int, About(whole(1, 64), "How many processes answer requests: about one per core.", "1")
    ]
    shutdown_seconds: Annotated[
        int,
        About(whole(1, 600), "How long requests and tasks may finish when asked to stop.", "15"),
    ]
    trusted_proxies: Annotated[
        tuple[Network, ...],
        About(
            NETWORKS,
            "Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.",
            words="none",
        ),
    ]
    metrics_token: Annotated[
        str | None,
        About(
            text_of(16),
            "Lets whoever sends it as a bearer token read /metrics from anywhere.",
            secret=True,
            words="none: /metrics answers this machine only",
        ),
    ]
    log_level: Annotated[
        str,
        About(choice("debug", "info", "warning", "error"), "The least severe line to log.", "info"),
    ]
    log_format: Annotated[
        Literal["json", "text"],
        About(choice("json", "text"), "How log lines look.", words="text in a terminal, else json"),
    ]
    debug: Annotated[bool, About(SWITCH, "Show the full traceback when a command fails.", "false")]

    # Database
    database_primary_url: Annotated[
        str | None,
        About(
            _POSTGRES,
            "PostgreSQL 16 or newer, directly or through PgBouncer in transaction mode.",
            secret=True,
            words="the embedded PostgreSQL in the data folder",
        ),
    ]
    database_replica_url: Annotated[
        str | None,
        About(_POSTGRES, "A read replica.", secret=True, words="DATABASE_PRIMARY_URL"),
    ]
    database_queue_url: Annotated[
        str | None,
        About(
            _POSTGRES,
            "A direct connection for the task queue, past PgBouncer: LISTEN needs it.",
            secret=True,
            words="DATABASE_PRIMARY_URL",
        ),
    ]
    database_pool_size: Annotated[
        int, About(whole(1, 500), "The most connections of one process to one server.", "10")
    ]
    statement_timeout_ms: Annotated[
        int,
        About(
            whole(100, 3_600_000),
            "How long one statement of a request may run, in milliseconds.",
            "15000",
        ),
    ]

    # Queue and Redis
    queue_backend: Annotated[
        str,
        About(
            choice("postgres", "redis"),
            "With redis, REDIS_URL is required and Redis carries caches, limits, nonces and "
            "counters; background tasks stay in PostgreSQL, where they commit with your data.",
            "postgres",
        ),
    ]
    redis_url: Annotated[
        str | None,
        About(
            _REDIS,
            "Redis, shared by all processes for caches, limits, nonces and counters.",
            secret=True,
            words="each process keeps its own",
        ),
    ]
    answer_cache_seconds: Annotated[
        int,
        About(
            whole(0, 120),
            "How old a public list may be; stories and chapters are always shown as they are. "
            "0 keeps no answers at all.",
            "30",
        ),
    ]

    # Object storage
    storage_endpoint: Annotated[
        str | None,
        About(_HTTP, "An S3-compatible store.", words="the folder storage in the data folder"),
    ]
    storage_bucket: Annotated[str | None, About(TEXT, "The bucket for covers and pages.")]
    storage_access_key_id: Annotated[str | None, About(TEXT, "The key to the bucket.", secret=True)]
    storage_secret_access_key: Annotated[
        str | None, About(TEXT, "The secret of that key.", secret=True)
    ]
    storage_region: Annotated[str, About(TEXT, "The bucket's region.", "auto")]
    storage_public_url: Annotated[
        str | None, About(_HTTP, "Where browsers fetch what the bucket holds, such as a CDN.")
    ]
    storage_force_path_style: Annotated[
        bool, About(SWITCH, "Put the bucket in the path, as MinIO wants it.", "false")
    ]
    backup_storage_bucket: Annotated[
        str | None, About(TEXT, "A private bucket for backups, in the same store.")
    ]
    backup_storage_prefix: Annotated[str, About(TEXT, "The start of a backup's key.", "db/")]

    # Security
    session_secret: Annotated[
        str,
        About(
            text_of(32),
            "Signs sessions, tokens and cursors.",
            secret=True,
            words="generated once into the data folder; required in production",
            generate=64,
        ),
    ]
    sealing_secret: Annotated[
        str | None,
        About(
            text_of(32),
            "Seals what is secret in the database, such as the secrets of ingest keys. With one of "
            "its own, SESSION_SECRET can change without closing them.",
            secret=True,
            words="SESSION_SECRET",
        ),
    ]
    portable_key_hmac_secret: Annotated[
        str,
        About(
            text_of(32),
            "Used in the derivation of portable identities.",
            secret=True,
            words="generated once into the data folder; required in production",
            generate=32,
        ),
    ]

    # Bulk ingest
    ingest_max_stories_mb: Annotated[
        int, About(whole(1, 64), "The largest request with stories, unpacked, in MB.", "5")
    ]
    ingest_max_chapters_mb: Annotated[
        int, About(whole(1, 64), "The largest request with chapters, unpacked, in MB.", "12")
    ]
    ingest_idempotency_hours: Annotated[
        int, About(whole(1, 720), "How long a request sent again gets the first answer.", "72")
    ]
    ingest_max_attempts: Annotated[
        int, About(whole(0, 100), "How often an item that fails is tried again.", "5")
    ]
    ingest_completed_days: Annotated[
        int, About(whole(1, 3650), "How long it is known what became of an item.", "7")
    ]
    ingest_failed_days: Annotated[
        int, About(whole(1, 3650), "How long failed items and ended requests are kept.", "30")
    ]
    ingest_log_days: Annotated[
        int, About(whole(1, 3650), "How long the log of ingest is kept; that of keys: 90.", "30")
    ]

    # Images and archives
    image_max_upload_mb: Annotated[int, About(whole(1, 2048), "The largest image, in MB.", "50")]
    image_processing_concurrency: Annotated[
        int, About(whole(1, 64), "How many image or archive tasks run at once.", "2")
    ]
    image_max_dimension_px: Annotated[
        int, About(whole(64, 65500), "The largest width or height of an image, in pixels.", "4000")
    ]
    archive_max_upload_mb: Annotated[
        int, About(whole(1, 16384), "The largest CBZ or ZIP, in MB.", "200")
    ]
    archive_max_pages: Annotated[
        int, About(whole(1, 10000), "The most pages in one archive.", "500")
    ]

    # Federation
    federation_worker_concurrency: Annotated[
        int, About(whole(1, 256), "How many deliveries to other servers run at once.", "4")
    ]
    federation_max_outbound_per_domain_per_minute: Annotated[
        int, About(whole(1, 100_000), "The most deliveries to one domain in a minute.", "60")
    ]
    identity_registry_url: Annotated[
        str | None, About(_HTTP, "A registry of portable identities.", words="none")
    ]
    identity_registry_api_key: Annotated[
        str | None, About(TEXT, "The key to that registry.", secret=True)
    ]

    # What visitors may do
    enable_registration: Annotated[bool, About(SWITCH, "People may sign up.", "true")]
    enable_federation: Annotated[bool, About(SWITCH, "Speak with the fediverse.", "true")]
    enable_upload: Annotated[bool, About(SWITCH, "Members may upload.", "true")]
    enable_archive_upload: Annotated[
        bool, About(SWITCH, "Members may upload whole archives.", "true")
    ]
    age_gate: Annotated[str, About(_GATES, "What stands before the text of adult stories.", "warn")]

    # The first administrator, for `rensai admin create`
    admin_username: Annotated[str | None, About(TEXT, "Name of the administrator to create.")]
    admin_email: Annotated[str | None, About(TEXT, "Mail address of that administrator.")]
    admin_password: Annotated[
        str | None, About(TEXT, "Password of that administrator.", secret=True)
    ]

    def __repr__(self) -> str:
        return f"Config({self.data_dir})"  # the rest may be secret, and reprs end up in logs

    @property
    def sealing_secrets(self) -> tuple[str, ...]:
        """What seals, then what may have sealed before SEALING_SECRET was set."""
        named = self.sealing_secret
        return (self.session_secret,) if named is None else (named, self.session_secret)

    @property
    def access_secrets(self) -> tuple[str, ...]:
        """What signs access tokens, then what may have signed them before."""
        return self.jwt_secrets or (self.session_secret,)

    @property
    def storage_dir(self) -> Path:
        """Where files lie when no S3-compatible store is set."""
        return self.data_dir / "storage"


_OWN_NAMES = {"data_dir": "RENSAI_DATA_DIR", "debug": "RENSAI_DEBUG"}


def _settings() -> dict[str, Setting]:
    table: dict[str, Setting] = {}
    hints = get_type_hints(Config, include_extras=True)
    for field in (*Config.__annotations__, *PeopleSettings.__annotations__):
        about: About = hints[field].__metadata__[0]
        table[field] = Setting(
            name=_OWN_NAMES.get(field, field.upper()),
            kind=about.kind,
            meaning=about.meaning,
            default=about.default,
            secret=about.secret,
            default_words=about.words,
            generate_bytes=about.generate,
        )
    return table


BY_FIELD = _settings()
SETTINGS: tuple[Setting, ...] = tuple(BY_FIELD.values())
