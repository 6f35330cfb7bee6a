"""Settings: defaults, sources, and one clear line for whatever is wrong."""

import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest

from rensai import config
from rensai.config import SETTINGS, Config, ConfigError, explain, load
from rensai.config_sources import read_file

CONTRACT = {
    "NODE_ENV": "development",
    "PORT": "3000",
    "BASE_URL": None,
    "RUN_MODE": "all",
    "DATABASE_PRIMARY_URL": None,
    "DATABASE_REPLICA_URL": None,
    "DATABASE_QUEUE_URL": None,
    "QUEUE_BACKEND": "postgres",
    "REDIS_URL": None,
    "STORAGE_ENDPOINT": None,
    "STORAGE_BUCKET": None,
    "STORAGE_ACCESS_KEY_ID": None,
    "STORAGE_SECRET_ACCESS_KEY": None,
    "STORAGE_REGION": "auto",
    "STORAGE_PUBLIC_URL": None,
    "STORAGE_FORCE_PATH_STYLE": "false",
    "BACKUP_STORAGE_BUCKET": None,
    "BACKUP_STORAGE_PREFIX": "db/",
    "SESSION_SECRET": None,
    "PORTABLE_KEY_HMAC_SECRET": None,
    "IMAGE_MAX_UPLOAD_MB": "50",
    "IMAGE_PROCESSING_CONCURRENCY": "2",
    "IMAGE_MAX_DIMENSION_PX": "4000",
    "ARCHIVE_MAX_UPLOAD_MB": "200",
    "ARCHIVE_MAX_PAGES": "500",
    "FEDERATION_WORKER_CONCURRENCY": "4",
    "FEDERATION_MAX_OUTBOUND_PER_DOMAIN_PER_MINUTE": "60",
    "IDENTITY_REGISTRY_URL": None,
    "IDENTITY_REGISTRY_API_KEY": None,
    "ENABLE_REGISTRATION": "true",
    "ENABLE_FEDERATION": "true",
    "ENABLE_UPLOAD": "true",
    "ENABLE_ARCHIVE_UPLOAD": "true",
}
SECRET = "s" * 64
S3 = {
    "STORAGE_ENDPOINT": "https://s3.example.com",
    "STORAGE_BUCKET": "pages",
    "STORAGE_ACCESS_KEY_ID": "key",
    "STORAGE_SECRET_ACCESS_KEY": "a-storage-secret",
    "STORAGE_PUBLIC_URL": "https://cdn.example.com",
}


def _load(folder: Path, **settings: str) -> Config:
    return load({"RENSAI_DATA_DIR": str(folder), **settings})


def _wrong(folder: Path, **settings: str) -> str:
    with pytest.raises(ConfigError) as caught:
        _load(folder, **settings)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_what_the_session_secret_sealed_opens_after_a_sealing_secret_is_set(tmp_path: Path) -> None:
    assert _load(tmp_path, SESSION_SECRET=SECRET).sealing_secrets == (SECRET,)
    of_its_own = "a secret of its own, for sealing alone"
    both = _load(tmp_path, SESSION_SECRET=SECRET, SEALING_SECRET=of_its_own)
    assert both.sealing_secrets == (of_its_own, SECRET)


def test_each_secret_of_access_tokens_is_one_that_no_log_may_show(tmp_path: Path) -> None:
    newer = "n" * 40
    found = _load(tmp_path, SESSION_SECRET=SECRET, JWT_SECRETS=f"{newer}, {SECRET}")
    assert found.access_secrets == (newer, SECRET)
    assert {newer, SECRET} <= set(config.secrets_of(found))
    assert _load(tmp_path, SESSION_SECRET=SECRET).access_secrets == (SECRET,)


def test_every_setting_of_the_contract_has_its_name_and_its_default() -> None:
    ours = {setting.name: setting.default for setting in SETTINGS}
    assert {name: ours[name] for name in CONTRACT} == CONTRACT


def test_every_setting_says_what_it_means_and_expects() -> None:
    for setting in SETTINGS:
        assert setting.meaning.endswith((".", "!"))
        assert setting.kind.expected
        assert setting.name.isupper()


def test_every_default_is_a_value_of_its_kind() -> None:
    for setting in SETTINGS:
        if setting.default is not None:
            setting.kind.read(setting.default)


def test_with_nothing_set_everything_is_embedded(tmp_path: Path) -> None:
    found = _load(tmp_path)
    assert (found.node_env, found.run_mode, found.port) == ("development", "all", 3000)
    assert found.base_url == "http://127.0.0.1:3000"
    assert found.database_primary_url is None
    assert found.redis_url is None
    assert found.storage_endpoint is None
    assert found.storage_dir == tmp_path / "storage"
    assert found.image_max_upload_mb == 50
    assert found.enable_upload is True
    assert found.shutdown_seconds == 15


def test_an_empty_setting_is_an_unset_one(tmp_path: Path) -> None:
    empty = {setting.name: "" for setting in SETTINGS if setting.name != "RENSAI_DATA_DIR"}
    bare = _load(tmp_path)
    assert all(
        getattr(_load(tmp_path, **empty), field.name) == getattr(bare, field.name)
        for field in fields(Config)
    )


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("PORT", "abc", "a whole number from 1 to 65535"),
        ("PORT", "0", "a whole number from 1 to 65535"),
        ("PORT", "65536", "a whole number from 1 to 65535"),
        ("PORT", "٣٠٠٠", "a whole number from 1 to 65535"),
        ("PORT", "9" * 5000, "a whole number from 1 to 65535"),
        ("PORT", "--1", "a whole number from 1 to 65535"),
        ("RUN_MODE", "both", "one of all, web, worker"),
        ("NODE_ENV", "prod", "one of development, production, test"),
        ("BASE_URL", "books.example.com", "an address such as https://books.example.com"),
        ("BASE_URL", "ftp://books.example.com", "an address such as https://books.example.com"),
        ("BASE_URL", "https://books.example.com/path", "an address such as"),
        ("BASE_URL", "http://[::1", "an address such as"),
        ("ENABLE_UPLOAD", "maybe", "true or false"),
        ("QUEUE_BACKEND", "rabbit", "one of postgres, redis"),
        ("LOG_LEVEL", "loud", "one of debug, info, warning, error"),
        ("TRUSTED_PROXIES", "10.0.0.0/99", "addresses or networks"),
        ("WEB_PROCESSES", "1.5", "a whole number from 1 to 64"),
    ],
)
def test_a_wrong_value_names_the_setting_the_value_and_what_is_expected(
    tmp_path: Path, name: str, value: str, expected: str
) -> None:
    message = _wrong(tmp_path, **{name: value})
    assert message.startswith(f"{name}: ")
    assert repr(value[:200]) in message
    assert expected in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SESSION_SECRET", "too short"),
        ("JWT_SECRETS", f"{SECRET},too short"),
        ("JWT_SECRETS", f"{SECRET},"),
        ("DATABASE_PRIMARY_URL", "mysql://ada:hunter2@db/rensai"),
        ("REDIS_URL", "http://:hunter2@cache"),
    ],
)
def test_a_wrong_secret_is_not_repeated(tmp_path: Path, name: str, value: str) -> None:
    message = _wrong(tmp_path, **{name: value})
    assert message.startswith(f"{name}: (hidden) is not ")
    assert value not in message
    assert "hunter2" not in message


def test_no_repr_shows_a_secret(tmp_path: Path) -> None:
    found = _load(tmp_path, SESSION_SECRET=SECRET)
    assert SECRET not in repr(found)
    assert SECRET not in f"{found}"


@pytest.mark.parametrize("text", ["true", "TRUE", "1", "yes", "on"])
def test_a_switch_is_on_in_many_words(tmp_path: Path, text: str) -> None:
    assert _load(tmp_path, STORAGE_FORCE_PATH_STYLE=text).storage_force_path_style is True


def test_false_means_false(tmp_path: Path) -> None:
    assert _load(tmp_path, ENABLE_FEDERATION="false").enable_federation is False


def test_redis_may_listen_on_a_socket(tmp_path: Path) -> None:
    assert _load(tmp_path, REDIS_URL="unix:///run/redis.sock").redis_url == "unix:///run/redis.sock"
    assert _wrong(tmp_path, REDIS_URL="unix:").startswith("REDIS_URL")


def test_redis_as_a_backend_asks_for_its_address(tmp_path: Path) -> None:
    assert _wrong(tmp_path, QUEUE_BACKEND="redis").startswith("REDIS_URL: not set")
    _load(tmp_path, QUEUE_BACKEND="redis", REDIS_URL="redis://127.0.0.1:6379/0")


@pytest.mark.parametrize("missing", sorted(S3))
def test_an_object_store_is_set_wholly_or_not_at_all(tmp_path: Path, missing: str) -> None:
    partly = {name: value for name, value in S3.items() if name != missing}
    assert _wrong(tmp_path, **partly).startswith(f"{missing}: not set")
    assert _load(tmp_path, **S3).storage_bucket == "pages"


def test_a_replica_or_queue_needs_a_primary(tmp_path: Path) -> None:
    for name in ("DATABASE_REPLICA_URL", "DATABASE_QUEUE_URL"):
        message = _wrong(tmp_path, **{name: "postgresql://db/rensai"})
        assert message.startswith("DATABASE_PRIMARY_URL: not set")


def test_production_wants_its_address_and_its_own_secrets(tmp_path: Path) -> None:
    settings = {"NODE_ENV": "production"}
    _load(tmp_path)  # generates secrets, which production must not take
    assert _wrong(tmp_path, **settings).startswith("BASE_URL: not set")
    settings["BASE_URL"] = "https://books.example.com"
    message = _wrong(tmp_path, **settings)
    assert message.startswith("SESSION_SECRET: not set")
    assert "openssl rand -hex 64" in message
    settings["SESSION_SECRET"] = SECRET
    assert _wrong(tmp_path, **settings).startswith("PORTABLE_KEY_HMAC_SECRET: not set")
    settings["PORTABLE_KEY_HMAC_SECRET"] = SECRET
    assert _load(tmp_path, **settings).base_url == "https://books.example.com"


def test_secrets_are_generated_once_for_the_owner_alone(tmp_path: Path) -> None:
    first = _load(tmp_path)
    again = _load(tmp_path)
    assert len(first.session_secret) == 128
    assert first.session_secret != first.portable_key_hmac_secret
    assert again.session_secret == first.session_secret
    assert (tmp_path / "secrets.env").stat().st_mode & 0o777 == 0o600


def test_secrets_that_others_may_read_are_closed_again(tmp_path: Path) -> None:
    _load(tmp_path)
    (tmp_path / "secrets.env").chmod(0o644)
    _load(tmp_path)
    assert (tmp_path / "secrets.env").stat().st_mode & 0o777 == 0o600


def test_a_secret_of_a_newer_release_joins_those_that_are_there(tmp_path: Path) -> None:
    first = _load(tmp_path)
    kept = f"SESSION_SECRET={first.session_secret}\n"
    (tmp_path / "secrets.env").write_text(kept)
    assert _load(tmp_path).session_secret == first.session_secret
    assert set(read_file(tmp_path / "secrets.env")) == {
        "SESSION_SECRET",
        "PORTABLE_KEY_HMAC_SECRET",
    }


def test_processes_that_start_together_agree_on_their_secrets(tmp_path: Path) -> None:
    script = (
        "import sys; from rensai.config import load;"
        "sys.stdin.readline();"
        "print(load({'RENSAI_DATA_DIR': sys.argv[1]}).session_secret)"
    )
    starting = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "data")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for process in starting:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    secrets = {process.communicate(timeout=30)[0] for process in starting}
    assert len(secrets) == 1
    assert len(secrets.pop()) == 129


def test_a_process_waits_for_another_that_is_making_the_secrets(tmp_path: Path) -> None:
    with (tmp_path / ".secrets.lock").open("a") as lock, ThreadPoolExecutor(1) as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = pool.submit(_load, tmp_path)
        with pytest.raises(TimeoutError):
            waiting.result(0.3)
        theirs = f"SESSION_SECRET={SECRET}\nPORTABLE_KEY_HMAC_SECRET={SECRET}\n"
        (tmp_path / "secrets.env").write_text(theirs)
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert waiting.result(10).session_secret == SECRET


def test_the_settings_file_yields_to_the_environment(tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text('# ours\nPORT=4000\nexport LOG_LEVEL="debug"\n')
    assert _load(tmp_path).port == 4000
    assert _load(tmp_path).log_level == "debug"
    assert _load(tmp_path, PORT="5000").port == 5000


@pytest.mark.parametrize("line", ["PROT=3000", "RENSAI_DATA_DIR=/elsewhere", "just words"])
def test_a_mistake_in_the_settings_file_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "settings.env").write_text(f"{line}\n")
    assert "settings.env" in _wrong(tmp_path)


def test_a_data_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "data"):
        message = _wrong(path)
        assert message.startswith(f"RENSAI_DATA_DIR: {path} cannot be used: ")


def test_a_record_of_the_demo_is_found_unless_the_environment_names_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting in SETTINGS:
        monkeypatch.delenv(setting.name, raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    recorded = {"RENSAI_DATA_DIR": str(tmp_path / "demo"), "PORT": "4321"}
    assert config.write_record(recorded) == tmp_path / "rensai-demo.env"
    found = load()
    assert (found.data_dir, found.port) == (tmp_path / "demo", 4321)
    sources = {value.setting.name: value.source for value in explain().values}
    assert sources["PORT"] == f"the demo's record, {tmp_path / 'rensai-demo.env'}"
    assert load(record=False).port == 3000
    monkeypatch.setenv("PORT", "4322")
    assert load().port == 4322
    monkeypatch.delenv("PORT")
    monkeypatch.setenv("RENSAI_DATA_DIR", str(tmp_path / "other"))
    assert load().port == 3000


def test_a_child_reads_what_its_parent_has_read(tmp_path: Path) -> None:
    found = _load(tmp_path, PORT="4000", LOG_FORMAT="text")
    child = load(config.environment_of(found))
    assert (child.data_dir, child.port, child.base_url) == (tmp_path, 4000, found.base_url)
    assert child.log_format == "text"
    assert "PATH" in config.environment_of(found) or "PATH" not in os.environ
