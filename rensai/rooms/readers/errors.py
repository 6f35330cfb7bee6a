"""What can go wrong with an account."""

from rensai.kit.errors import (
    AuthRequired,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    RensaiError,
)


class WrongCredentials(AuthRequired):
    """The name or the password is wrong."""

    code = "INVALID_CREDENTIALS"
    novel_code = "invalid_credentials"


class AccountClosed(Forbidden):
    """This account is closed."""

    code = "ACCOUNT_CLOSED"


class InvalidToken(AuthRequired):
    """The token is not valid here, or has been revoked."""


class TokenExpired(AuthRequired):
    """The token has expired; exchange the refresh token for a new one."""

    novel_code = "token_expired"


class RefreshTokenInvalid(AuthRequired):
    """The refresh token has expired, was used before, or has been revoked; sign in again."""

    code = "REFRESH_TOKEN_INVALID"
    novel_code = "refresh_token_invalid"


class ScopeMissing(Forbidden):
    """The token lacks a right that this needs."""


class RegistrationClosed(Forbidden):
    """This site takes no new accounts."""

    code = "REGISTRATION_CLOSED"


class PasswordBreached(Invalid):
    """That password is on lists of stolen ones, which are tried first; choose another."""

    code = "PASSWORD_BREACHED"


class InvalidMnemonic(RensaiError):
    """These are not the words of an identity: a word is wrong, missing, or out of place."""

    code = "INVALID_MNEMONIC"
    status = 400
    novel_code = "invalid_schema"


class FingerprintNotFound(NotFound):
    """No account of this site has the identity of these words."""

    code = "FINGERPRINT_NOT_FOUND"


class TooManyTokens(Conflict):
    """This account has as many tokens as it may; delete one that is no longer used."""

    code = "TOO_MANY_TOKENS"


class AdminExists(Conflict):
    """This instance has an administrator already."""

    code = "ADMIN_EXISTS"


class NameTaken(Conflict):
    """That name or e-mail address belongs to another account."""

    code = "NAME_TAKEN"
    novel_code = "user_exists"


class UserNotFound(NotFound):
    """There is no account of that name."""


class LastAdmin(Conflict):
    """This is the last administrator; make another one first."""

    code = "LAST_ADMIN"


class WrongPassword(Forbidden):
    """The password is wrong."""

    code = "WRONG_PASSWORD"


class EmailUnverified(Forbidden):
    """Confirm your e-mail address first; a letter with the link is sent again if you ask."""

    code = "EMAIL_UNVERIFIED"


class MailDisabled(Forbidden):
    """This site sends no mail."""

    code = "MAIL_DISABLED"


class LinkExpired(Gone):
    """This link has been used or is too old; ask for another one."""

    code = "LINK_EXPIRED"


class TooManyMutes(Conflict):
    """There are 500 mutes already; take one away first."""

    code = "TOO_MANY_MUTES"


class TransferNotFound(NotFound):
    """There is no such archive."""


class ArchiveNotReady(Conflict):
    """The archive is not ready."""

    code = "ARCHIVE_NOT_READY"


class ArchiveExpired(Gone):
    """The archive is no longer kept; ask for another one."""

    code = "ARCHIVE_EXPIRED"


class ImportUnderWay(Conflict):
    """Another archive is being read; wait until that has ended."""

    code = "IMPORT_UNDER_WAY"
