"""The settings about people: how they stay signed in, their mail, what they read."""

from dataclasses import dataclass
from typing import Annotated

from rensai.config_kinds import MAILBOX, About, secrets_of_length, url, whole

_SMTP = url("smtp", "smtps", "smtp+starttls", example="smtps://user:password@mail.example.com:465")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PeopleSettings:
    """The part of the configuration that is about people."""

    # Signing in with apps
    jwt_secrets: Annotated[
        tuple[str, ...] | None,
        About(
            secrets_of_length(32),
            "Sign the access tokens of apps: the first signs, all are accepted. Put a new one "
            "before the old, and take the old away after ACCESS_TOKEN_DAYS.",
            secret=True,
            words="SESSION_SECRET",
        ),
    ]
    access_token_days: Annotated[
        int, About(whole(1, 365), "How long an access token of the novel API is good.", "7")
    ]
    refresh_token_days: Annotated[
        int, About(whole(1, 3650), "How long it can be exchanged for a new one.", "30")
    ]
    refresh_tokens_per_account: Annotated[
        int,
        About(
            whole(1, 100),
            "On how many devices an account stays signed in over the novel API; signing in on one "
            "more ends the oldest.",
            "1",
        ),
    ]
    refresh_audit_days: Annotated[
        int,
        About(whole(1, 365), "How long refresh tokens are kept that are good for nothing.", "7"),
    ]

    # Mail
    smtp_url: Annotated[
        str | None,
        About(
            _SMTP,
            "The mail server that letters go out through, for verified addresses and forgotten "
            "passwords. smtps is encrypted from the start; smtp+starttls insists on STARTTLS, "
            "smtp uses it where it is offered, and gives a password to nobody without it.",
            secret=True,
            words="none: no mail is sent",
        ),
    ]
    mail_from: Annotated[
        str | None,
        About(MAILBOX, "Who letters are from.", words="none; required with SMTP_URL"),
    ]

    # What people take along
    export_days: Annotated[
        int, About(whole(1, 365), "How long an archive of an account can be fetched.", "7")
    ]
    import_max_mb: Annotated[
        int, About(whole(1, 2048), "The largest archive that may be brought here, in MB.", "100")
    ]

    # What readers read
    views_flush_seconds: Annotated[
        int, About(whole(1, 3600), "How long views and reads are added up in memory.", "300")
    ]
    progress_flush_seconds: Annotated[
        int,
        About(
            whole(1, 60),
            "How long a web process gathers what readers have read before it writes it: a crash "
            "loses no more than that.",
            "2",
        ),
    ]
    history_days: Annotated[
        int,
        About(
            whole(1, 36500),
            "How long it is told when a chapter was read; that it was read stays known.",
            "90",
        ),
    ]
