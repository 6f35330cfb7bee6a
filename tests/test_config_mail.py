"""The settings of mail."""

from pathlib import Path

import pytest

from rensai.config import ConfigError, load, secrets_of

BASE = {"NODE_ENV": "test"}


def _load(folder: Path, **settings: str) -> object:
    return load({**BASE, "RENSAI_DATA_DIR": str(folder), **settings})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SMTP_URL", "mail.example.com"),
        ("SMTP_URL", "http://mail.example.com"),
        ("SMTP_URL", "smtp://"),
        ("SMTP_URL", "smtp://mail.example.com:port"),
        ("MAIL_FROM", "books"),
        ("MAIL_FROM", "books@example.com, eve@example.com"),
        ("MAIL_FROM", "Books <books@example.com> <eve@example.com>"),
        ("MAIL_FROM", "Books\tof mine <books@example.com>"),
        ("EXPORT_DAYS", "0"),
        ("IMPORT_MAX_MB", "0"),
    ],
)
def test_a_wrong_setting_of_mail_is_refused(tmp_path: Path, name: str, value: str) -> None:
    good = {"SMTP_URL": "smtp://mail.example.com", "MAIL_FROM": "books@example.com"}
    with pytest.raises(ConfigError, match=name):
        _load(tmp_path, **(good | {name: value}))


def test_a_mail_server_wants_to_know_who_writes(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="MAIL_FROM: not set; SMTP_URL expects it"):
        _load(tmp_path, SMTP_URL="smtps://mail.example.com")


def test_the_password_of_the_mail_server_is_a_secret(tmp_path: Path) -> None:
    url = "smtps://books:s3cret@mail.example.com:465"
    config = load(
        {
            **BASE,
            "RENSAI_DATA_DIR": str(tmp_path),
            "SMTP_URL": url,
            "MAIL_FROM": "Bücherei <books@example.com>",
        }
    )
    assert config.mail_from == "Bücherei <books@example.com>"
    assert url in secrets_of(config)
    with pytest.raises(ConfigError) as refused:
        _load(tmp_path, SMTP_URL="ftp://books:s3cret@mail.example.com")
    assert "s3cret" not in str(refused.value)
