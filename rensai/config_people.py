"""The settings about people: how they stay signed in."""

from dataclasses import dataclass
from typing import Annotated

from rensai.config_kinds import About, secrets_of_length, whole


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
