"""The settings about people: the mail they get, and what they take along when they go."""

from dataclasses import dataclass
from typing import Annotated

from rensai.config_kinds import MAILBOX, About, url, whole

_SMTP = url("smtp", "smtps", "smtp+starttls", example="smtps://user:password@mail.example.com:465")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PeopleSettings:
    """The part of the configuration that is about people."""

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
