"""Letters by SMTP: plain text, one at a time, to a server that the operator names.

A letter whose fate is unknown is sent again by the task that asked for it, so somebody may get
it twice; none is lost while the server is away. Addresses and subjects become headers through
the standard library, which refuses whatever would begin another header.
"""

import re
import ssl
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid, parseaddr
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import aiosmtplib

from rensai.config import Config

_SECONDS = 30.0
_NO_MAILBOX = re.compile(r"[\s@<>,;:\"\\()\[\]]")


class Letter(NamedTuple):
    """What somebody is to read."""

    to: str
    subject: str
    text: str


class Undeliverable(Exception):
    """The server will never take this letter: trying again is of no use."""


class MailServer(NamedTuple):
    """How the mail server is reached."""

    host: str
    port: int
    username: str | None
    password: str | None
    encrypted: bool
    """From the first byte."""
    start_tls: bool | None
    """None: where it is offered."""


def mail_server(url: str) -> MailServer:
    """What an address such as smtps://user:password@mail.example.com says."""
    parts = urlsplit(url)
    encrypted = parts.scheme == "smtps"
    usual = {"smtps": 465, "smtp+starttls": 587}.get(parts.scheme, 25)
    return MailServer(
        host=parts.hostname or "",
        port=parts.port or usual,
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        encrypted=encrypted,
        start_tls=_start_tls(parts.scheme, parts.hostname or ""),
    )


def _start_tls(scheme: str, host: str) -> bool | None:
    if scheme == "smtp+starttls":
        return True
    # Nobody listens between us and this machine's own server, whose certificate is rarely real.
    return False if scheme == "smtps" or _is_this_machine(host) else None


def written(letter: Letter, *, mail_from: str, base_url: str) -> EmailMessage:
    """The letter as it goes over the wire; ValueError when an address cannot be one."""
    name, address = parseaddr(mail_from)
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(name, *_mailable(address))
    message["To"] = Address("", *_mailable(letter.to))
    message["Subject"] = letter.subject
    message["Message-ID"] = make_msgid(domain=urlsplit(base_url).hostname or "localhost")
    # No machine should answer it.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text, cte="quoted-printable")
    return message


async def send(config: Config, letter: Letter) -> None:
    """Hand the letter to the server: `Undeliverable` when it never will be, else try again."""
    if config.smtp_url is None or config.mail_from is None:
        raise Undeliverable("SMTP_URL is not set")
    server = mail_server(config.smtp_url)
    try:
        message = written(letter, mail_from=config.mail_from, base_url=config.base_url)
    except ValueError as problem:
        raise Undeliverable("the address cannot be written to") from problem
    try:
        async with _connection(server) as client:
            if server.username is not None:
                _refuse_to_tell(server, client)
                await client.login(server.username, server.password or "")
            await client.send_message(message, recipients=[message["To"].addresses[0].addr_spec])
    except aiosmtplib.SMTPRecipientsRefused as problem:
        if all(refusal.code >= 500 for refusal in problem.recipients):
            raise Undeliverable("the server does not take mail for that address") from problem
        raise
    except aiosmtplib.SMTPNotSupported as problem:
        raise Undeliverable("the server cannot write to that address") from problem


def _connection(server: MailServer) -> aiosmtplib.SMTP:
    return aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        use_tls=server.encrypted,
        start_tls=server.start_tls,
        tls_context=ssl.create_default_context(),
        timeout=_SECONDS,
    )


def _refuse_to_tell(server: MailServer, client: aiosmtplib.SMTP) -> None:
    """A password goes over no wire that others can read."""
    if client.get_transport_info("sslcontext") is not None or _is_this_machine(server.host):
        return
    raise aiosmtplib.SMTPException(
        "the mail server offers no encryption, so it is not given the password of SMTP_URL"
    )


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _mailable(address: str) -> tuple[str, str]:
    """The two halves of an address, the domain as the mail system spells it."""
    local, _, domain = address.rpartition("@")
    if not local or not domain or not address.isprintable() or _NO_MAILBOX.search(local):
        raise ValueError("it is no address")
    try:
        return local, domain.encode("idna").decode()
    except UnicodeError as problem:
        raise ValueError("no such domain can be") from problem
