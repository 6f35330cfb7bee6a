"""Many accounts for a measurement, with the devices and tokens that they have gathered."""

import asyncio
import subprocess
from collections.abc import Iterable

import argon2

from bench.library import program
from rensai.kit.db_driver import connect

PASSWORD = "a long enough password"  # noqa: S105 - of nobody
_ACCOUNTS = """
INSERT INTO users (uid, username, email, password_hash, display_name)
SELECT gen_random_uuid(), 'reader' || n, 'reader' || n || '@example.com', ':hash', 'Reader ' || n
FROM generate_series(1, :accounts) AS n;
INSERT INTO sessions (id_hash, user_id, kind, agent, network, created_at, expires_at)
SELECT sha256(('session' || n || id)::bytea), id, CASE n WHEN 1 THEN 'app' ELSE 'browser' END,
    'a browser', '192.0.2.0/24', now() - n * interval '1 day', now() + interval '20 days'
FROM users, generate_series(1, 3) AS n;
"""
# Each device of an app has exchanged some tokens before the one that is good now.
_TOKENS = """
INSERT INTO refresh_tokens (
    user_id, family_id, token_hash, issued_at, expires_at, last_used_at, revoked_at, replaced_by
)
SELECT user_id, uid,
    CASE n WHEN 0 THEN sha256((:token)::bytea) ELSE sha256((uid || '/' || n)::text::bytea) END,
    now() - n * interval '6 days', now() + interval '30 days' - n * interval '6 days',
    CASE WHEN n > 0 THEN now() END, CASE WHEN n > 0 THEN now() END, CASE WHEN n > 0 THEN 1 END
FROM sessions, generate_series(0, 2) AS n WHERE kind = 'app';
VACUUM ANALYZE users; VACUUM ANALYZE sessions; VACUUM ANALYZE refresh_tokens;
"""
HASHER = argon2.PasswordHasher(time_cost=3, memory_cost=32 * 1024, parallelism=1)


def fill(url: str, accounts: int) -> None:
    """That many accounts whose password is PASSWORD, each with three devices."""
    text = _ACCOUNTS.replace(":hash", HASHER.hash(PASSWORD)).replace(":accounts", str(accounts))
    tokens = _TOKENS.replace(":token", "'rsr_' || lpad(user_id::text, 43, '0')")
    subprocess.run(
        [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", url],
        input=text + tokens,
        text=True,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def refresh_token_of(user_id: int) -> str:
    """The refresh token that the app of this account has at the start."""
    return f"rsr_{user_id:043}"


def account_ids(url: str) -> Iterable[int]:
    """The keys of all accounts."""

    async def ask() -> list[int]:
        connection = await connect(url, seconds=10)
        try:
            rows = await connection.fetch("SELECT id FROM users")
            return [int(str(row[0])) for row in rows]
        finally:
            await connection.close()

    return asyncio.run(ask())
