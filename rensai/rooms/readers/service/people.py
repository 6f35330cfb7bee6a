"""Accounts in the hands of those who run the site."""

from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit import texts
from rensai.kit.db import Reads, Tx
from rensai.kit.errors import InvalidFilter
from rensai.kit.log import get_logger
from rensai.rooms.readers.errors import UserNotFound
from rensai.rooms.readers.model.profiles import (
    LONGEST_REASON,
    Action,
    Person,
    PersonChange,
    SearchBy,
    Wanted,
)
from rensai.rooms.readers.service.ending import (
    end_sign_ins,
    is_standing_admin,
    require_another_admin,
)
from rensai.rooms.readers.store import accounts
from rensai.rooms.readers.store import people as store

_LOG = get_logger("rensai.readers")
_LAST = 2**63 - 1
_HIGHEST = "\U0010ffff"
ACTIONS_SHOWN = 50


async def person_of_uid(reads: Reads, uid: UUID) -> Person:
    """An account by its public id, deleted ones too."""
    if (found := await store.by_uid(reads, uid)) is None:
        raise UserNotFound
    return found


async def person_of_name(reads: Reads, username: str) -> Person:
    """An account by its name, whatever the case."""
    if (found := await store.by_name(reads, username)) is None:
        raise UserNotFound
    return found


async def list_people(
    reads: Reads, wanted: Wanted, *, after: int | None, limit: int
) -> list[Person]:
    """Accounts, newest first: all, those of one role, or the banned ones; or those whose name or
    address begins so, in that order. One more than asked for."""
    if (wanted.beginning is not None) + (wanted.role is not None) + wanted.banned > 1:
        raise InvalidFilter("Ask for a beginning, a role or banned accounts: for one of them.")
    if wanted.beginning is not None:
        low = wanted.beginning.lower()
        by_name = wanted.by is SearchBy.NAME
        ask = store.whose_name_begins if by_name else store.whose_email_begins
        return await ask(reads, after or 0, (low, low + _HIGHEST), limit + 1)
    start = _LAST if after is None else after
    if wanted.banned:
        return await store.banned(reads, start, limit + 1)
    if wanted.role is not None:
        return await store.of_role(reads, wanted.role, start, limit + 1)
    return await store.newest(reads, start, limit + 1)


async def actions_on(reads: Reads, user_id: int) -> list[Action]:
    """What was done to an account, latest first."""
    return await store.actions(reads, user_id, _LAST, ACTIONS_SHOWN)


async def change_person(
    tx: Tx, user_id: int, change: PersonChange, *, actor_id: int | None, now: datetime
) -> Person:
    """Give an account another role, close it or open it again.

    Whoever is shut out is signed out everywhere at once. The last administrator stays one.
    """
    await accounts.lock_admins(tx)
    person = await store.held(tx, user_id)
    if person is None or person.deleted_at is not None:
        raise UserNotFound
    wanted = _changed(person, change)
    if is_standing_admin(person) and not is_standing_admin(wanted):
        await require_another_admin(tx, person.id)
    done = _differences(person, wanted)
    if not done:
        return person
    changed = await store.change(tx, wanted, now)
    if wanted.is_banned or not wanted.is_active:
        await end_sign_ins(tx, person.id, now=now)
    for action, detail in done:
        await store.log(tx, person.id, actor_id=actor_id, action=action, detail=detail, now=now)
        _LOG.info("account changed", account=person.id, by=actor_id, action=action)
    return changed


def _changed(person: Person, change: PersonChange) -> Person:
    banned = person.is_banned if change.is_banned is None else change.is_banned
    reason = person.ban_reason
    if change.ban_reason is not None:
        if not banned:
            raise texts.wrong("banReason", "Only a ban has a reason.")
        reason = texts.prose("banReason", change.ban_reason, most=LONGEST_REASON)
    return msgspec.structs.replace(
        person,
        role=person.role if change.role is None else change.role,
        is_banned=banned,
        ban_reason=(reason or None) if banned else None,
        is_active=person.is_active if change.is_active is None else change.is_active,
        email_verified=(
            person.email_verified if change.email_verified is None else change.email_verified
        ),
    )


def _differences(was: Person, will_be: Person) -> list[tuple[str, str]]:
    """What is done to the account, in words for the log of actions."""
    done: list[tuple[str, str]] = []
    if was.role != will_be.role:
        done.append(("role", f"{was.role} -> {will_be.role}"))
    if (was.is_banned, was.ban_reason) != (will_be.is_banned, will_be.ban_reason):
        done.append(("banned" if will_be.is_banned else "unbanned", will_be.ban_reason or ""))
    if was.is_active != will_be.is_active:
        done.append(("opened" if will_be.is_active else "closed", ""))
    if was.email_verified != will_be.email_verified:
        done.append(("verified" if will_be.email_verified else "unverified", ""))
    return done
