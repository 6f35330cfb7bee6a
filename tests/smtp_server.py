"""A real mail server for tests, on a port of this machine, which keeps what it gets."""

import socket
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Postbox:
    """What arrives; `refusal` is what the server answers instead of taking it."""

    def __init__(self) -> None:
        self.letters: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.refusal: str | None = None
        self.recipient_refusal: str | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    async def handle_RCPT(  # noqa: N802 - their name
        self, server: SMTP, session: Any, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        del server, session, options
        if self.recipient_refusal is not None:
            return self.recipient_refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - their name
        self, server: SMTP, session: Any, envelope: Envelope
    ) -> str:
        del server, session
        if self.refusal is not None:
            return self.refusal
        raw = cast("bytes", envelope.original_content)
        self.letters.append(message_from_bytes(raw, policy=policy.default))
        self.recipients.append(list(envelope.rcpt_tos))
        return "250 taken"


@contextmanager
def mail_server(
    *,
    encrypted: ssl.SSLContext | None = None,
    start_tls: ssl.SSLContext | None = None,
    password: str | None = None,
    host: str = "127.0.0.1",
) -> Generator[Postbox]:
    """A server that takes mail; with a password it takes none without it."""
    postbox = Postbox()
    with socket.create_server((host, 0)) as free:
        port = int(free.getsockname()[1])

    def check(
        server: SMTP, session: Any, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        del server, session, envelope, mechanism
        assert isinstance(data, LoginPassword)
        return AuthResult(success=data.password == (password or "").encode(), handled=False)

    controller = Controller(
        postbox,
        hostname=host,
        port=port,
        ssl_context=encrypted,
        tls_context=start_tls,
        authenticator=check if password is not None else None,
        auth_required=password is not None,
        auth_require_tls=False,
        enable_SMTPUTF8=True,
    )
    controller.start()
    postbox.port = port
    try:
        yield postbox
    finally:
        controller.stop()


def certificate(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """A server's context for 127.0.0.1, and the file by which a client may trust it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    trusted, private = folder / "mail.pem", folder / "mail.key"
    trusted.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted, private)
    return context, trusted
