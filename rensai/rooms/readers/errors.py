"""What can go wrong with an account."""

from rensai.kit.errors import AuthRequired, Conflict, Forbidden


class WrongCredentials(AuthRequired):
    """The name or the password is wrong."""

    code = "INVALID_CREDENTIALS"
    novel_code = "invalid_credentials"


class AccountClosed(Forbidden):
    """This account is closed."""

    code = "ACCOUNT_CLOSED"


class AdminExists(Conflict):
    """This instance has an administrator already."""

    code = "ADMIN_EXISTS"


class NameTaken(Conflict):
    """That name or e-mail address belongs to another account."""

    code = "NAME_TAKEN"
