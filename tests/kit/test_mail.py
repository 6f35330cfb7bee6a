"""Letters, sent to a real mail server."""

from email.message import EmailMessage
from pathlib import Path

import aiosmtplib
import pytest

from rensai.config import Config, load
from rensai.kit.mail import Letter, Undeliverable, mail_server, send, written
from tests import smtp_server

pytestmark = pytest.mark.anyio

LETTER = Letter("bea@example.com", "Grüße aus der Bücherei", "Eine Zeile.\n\n.\nNoch eine: €\n")


def config(folder: Path, url: str, mail_from: str = "Die Bücherei <books@example.com>") -> Config:
    return load(
        {
            "RENSAI_DATA_DIR": str(folder),
            "NODE_ENV": "test",
            "BASE_URL": "https://books.example.com",
            "SMTP_URL": url,
            "MAIL_FROM": mail_from,
        }
    )


def text_of(letter: EmailMessage) -> str:
    return str(letter.get_content()).replace("\r\n", "\n")


async def test_a_letter_arrives_as_it_was_written(tmp_path: Path) -> None:
    with smtp_server.mail_server() as postbox:
        await send(config(tmp_path, postbox.url), LETTER)
    [letter] = postbox.letters
    assert postbox.recipients == [["bea@example.com"]]
    assert letter["To"] == "bea@example.com"
    assert letter["From"] == "Die Bücherei <books@example.com>"
    assert letter["Subject"] == LETTER.subject
    assert letter["Message-ID"].endswith("@books.example.com>")
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content_type() == "text/plain"
    assert text_of(letter) == LETTER.text


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
async def test_an_encrypted_server_gets_the_password_and_one_that_is_not_trusted_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    context, trusted = smtp_server.certificate(tmp_path)
    how = {"smtps": "encrypted", "smtp+starttls": "start_tls"}[scheme]
    with smtp_server.mail_server(**{how: context}, password="s:e/c@ret") as postbox:  # pyright: ignore[reportArgumentType]
        url = f"{scheme}://books:s%3Ae%2Fc%40ret@127.0.0.1:{postbox.port}"
        with pytest.raises((aiosmtplib.SMTPException, OSError)):
            await send(config(tmp_path, url), LETTER)
        assert postbox.letters == []
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        await send(config(tmp_path, url), LETTER)
        wrong = f"{scheme}://books:wrong@127.0.0.1:{postbox.port}"
        with pytest.raises(aiosmtplib.SMTPAuthenticationError):
            await send(config(tmp_path, wrong), LETTER)
    assert len(postbox.letters) == 1


async def test_starttls_that_was_insisted_on_and_is_not_offered_sends_nothing(
    tmp_path: Path,
) -> None:
    with smtp_server.mail_server() as postbox:
        url = f"smtp+starttls://127.0.0.1:{postbox.port}"
        with pytest.raises(aiosmtplib.SMTPException):
            await send(config(tmp_path, url), LETTER)
    assert postbox.letters == []


def elsewhere(host: str) -> bool:
    del host
    return False


async def test_a_password_is_given_to_no_other_machine_without_encryption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with smtp_server.mail_server(password="secret") as postbox:
        url = f"smtp://books:secret@127.0.0.1:{postbox.port}"
        await send(config(tmp_path, url), LETTER)
        # As if that server were somewhere else.
        monkeypatch.setattr("rensai.kit.mail._is_this_machine", elsewhere)
        with pytest.raises(aiosmtplib.SMTPException, match="no encryption"):
            await send(config(tmp_path, url), LETTER)
    assert len(postbox.letters) == 1


async def test_an_address_that_the_server_will_never_take_is_told_apart(tmp_path: Path) -> None:
    with smtp_server.mail_server() as postbox:
        settings = config(tmp_path, postbox.url)
        postbox.recipient_refusal = "550 no such mailbox"
        with pytest.raises(Undeliverable):
            await send(settings, LETTER)
        postbox.recipient_refusal = "450 come back later"
        with pytest.raises(aiosmtplib.SMTPRecipientsRefused):
            await send(settings, LETTER)
        postbox.recipient_refusal, postbox.refusal = None, "451 come back later"
        with pytest.raises(aiosmtplib.SMTPResponseException):
            await send(settings, LETTER)
    with pytest.raises(OSError, match=r"."):
        await send(settings, LETTER)  # nobody listens there any more


@pytest.mark.parametrize(
    "address",
    [
        "bea@example.com\r\nBcc: eve@example.com",
        "bea@example.com, eve@example.com",
        "bea@example.com\nSubject: other",
        "bea@" + "x" * 70 + ".com",
        "@example.com",
        "bea@",
        "",
    ],
    ids=lambda address: ascii(address)[:40],
)
async def test_no_address_smuggles_a_header_or_a_second_addressee(
    tmp_path: Path, address: str
) -> None:
    with smtp_server.mail_server() as postbox, pytest.raises(Undeliverable):
        await send(config(tmp_path, postbox.url), Letter(address, "Hello", "Text"))
    assert postbox.letters == []


def test_a_subject_with_a_line_end_is_no_subject() -> None:
    with pytest.raises(ValueError, match=r"."):
        written(
            Letter("bea@example.com", "Hello\r\nBcc: eve@example.com", "Text"),
            mail_from="books@example.com",
            base_url="https://books.example.com",
        )


async def test_addresses_beyond_ascii_are_written_to(tmp_path: Path) -> None:
    with smtp_server.mail_server() as postbox:
        settings = config(tmp_path, postbox.url)
        await send(settings, Letter("bea@bücher.example", "Hello", "Text"))
        await send(settings, Letter("béa@example.com", "Hello", "Text"))
        await send(settings, Letter("o'hara+tag@example.com", "Hello", "Text"))
    assert postbox.recipients == [
        ["bea@xn--bcher-kva.example"],
        ["béa@example.com"],
        ["o'hara+tag@example.com"],
    ]


@pytest.mark.parametrize(
    ("url", "port", "encrypted", "start_tls"),
    [
        ("smtp://mail.example.com", 25, False, None),
        ("smtp://127.0.0.1", 25, False, False),
        ("smtp+starttls://mail.example.com", 587, False, True),
        ("smtp+starttls://mail.example.com:25", 25, False, True),
        ("smtps://mail.example.com", 465, True, False),
        ("smtps://user:pass@mail.example.com:4650", 4650, True, False),
    ],
)
def test_an_address_says_how_the_server_is_reached(
    url: str, port: int, encrypted: bool, start_tls: bool | None
) -> None:
    found = mail_server(url)
    assert (found.port, found.encrypted, found.start_tls) == (port, encrypted, start_tls)
