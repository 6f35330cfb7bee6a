"""The settings of a process, read once and checked: the only reader of the environment.

A value comes from the environment, else from `settings.env` in the data folder, else from
what the demo recorded in its virtual environment, else it is generated (secrets) or the
default. A wrong value raises `ConfigError`, one line that says how to put it right.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from rensai.config_kinds import ConfigError, Kind, NotThisKindError, Setting
from rensai.config_settings import BY_FIELD, SETTINGS, Config
from rensai.config_sources import (
    default_data_dir,
    ensure_data_dir,
    generated_secrets,
    read_file,
    record_path,
    unknown_names,
    write_record,
)

__all__ = [
    "SETTINGS",
    "Config",
    "ConfigError",
    "Explained",
    "Kind",
    "Setting",
    "Value",
    "debugging",
    "environment_of",
    "explain",
    "explain_one",
    "load",
    "secrets_of",
    "shown",
    "write_record",
]

HIDDEN = "(hidden)"
_S3 = (
    "STORAGE_ENDPOINT",
    "STORAGE_BUCKET",
    "STORAGE_ACCESS_KEY_ID",
    "STORAGE_SECRET_ACCESS_KEY",
    "STORAGE_PUBLIC_URL",
)


@dataclass(frozen=True, slots=True)
class Value:
    """One setting as it stands: the value, and where it came from."""

    field: str
    setting: Setting
    value: object
    source: str
    # Why a start would refuse it; then the value is what an unset one would be.
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """Every setting as it stands, and each line with which a start would be refused."""

    values: list[Value]
    problems: list[str]


def load(environ: Mapping[str, str] | None = None, *, record: bool = True) -> Config:
    """Read and check every setting; make the data folder and missing secrets.

    With an `environ` given, nothing but it and the data folder counts. `record=False` leaves
    out what the demo recorded.
    """
    values = _resolve(environ, record=record, strict=True).values
    fields: dict[str, Any] = {value.field: value.value for value in values}  # kinds are checked
    return Config(**fields)


def explain(environ: Mapping[str, str] | None = None) -> Explained:
    """Every setting with its value and source, whatever is wrong, without making anything."""
    return _resolve(environ, record=True, strict=False)


def explain_one(field: str) -> Value:
    """One setting as it stands; raises like `load`, and makes nothing."""
    found = explain()
    if found.problems:
        raise ConfigError(found.problems[0])
    return next(value for value in found.values if value.field == field)


def environment_of(config: Config) -> dict[str, str]:
    """The environment for a child process, which then reads what we have read."""
    return {
        **os.environ,
        "RENSAI_DATA_DIR": str(config.data_dir),
        "HOST": config.host,
        "PORT": str(config.port),
        "BASE_URL": config.base_url,
        "RUN_MODE": config.run_mode,
        "LOG_FORMAT": config.log_format,
        "LOG_LEVEL": config.log_level,
    }


def secrets_of(config: Config) -> list[str]:
    """Every value that must not be seen in a log."""
    found: list[str] = []
    for field, setting in BY_FIELD.items():
        value: object = getattr(config, field)
        if setting.secret and isinstance(value, str):
            found.append(value)
        elif setting.secret and isinstance(value, tuple):
            found += [str(part) for part in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # elements of an unknown kind
    return found


def debugging() -> bool:
    """Whether a failing command shows its traceback; asked also when settings are wrong."""
    return os.environ.get("RENSAI_DEBUG", "").lower() in {"1", "true", "yes", "on"}


def shown(setting: Setting, value: object) -> str:
    """A value as it may be printed: secrets and passwords in addresses are hidden."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        if setting.secret:
            return HIDDEN
        return ",".join(str(part) for part in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # elements of an unknown kind
    text = str(value)
    if setting.secret:
        return _without_password(text) if "://" in text else HIDDEN
    return text


def _resolve(environ: Mapping[str, str] | None, *, record: bool, strict: bool) -> Explained:
    """Read everything; `strict` makes what is missing, and raises at the first thing wrong."""
    outside = os.environ if environ is None else environ
    recorded_at = record_path() if environ is None and record else None
    recorded = read_file(recorded_at) if recorded_at else {}
    reader = _Reader(outside, recorded, str(recorded_at), strict=strict)
    data_dir = reader.find_data_dir()
    if strict:
        ensure_data_dir(data_dir)
    reader.add_settings_file(data_dir / "settings.env")
    for field in BY_FIELD:
        reader.read(field)
    reader.fill_in(data_dir)
    for problem in _wrong_together(reader.values):
        reader.refuse(problem)
    return Explained([reader.values[field] for field in BY_FIELD], reader.problems)


class _Reader:
    """Reads each setting from the first source that has it."""

    def __init__(
        self,
        environ: Mapping[str, str],
        recorded: Mapping[str, str],
        recorded_at: str,
        *,
        strict: bool,
    ) -> None:
        self.strict = strict
        self.problems: list[str] = []
        self.environ = environ
        self.sources: list[tuple[str, Mapping[str, str]]] = [("environment", environ)]
        self.recorded = recorded
        self.recorded_at = recorded_at
        self.values: dict[str, Value] = {}

    def find_data_dir(self) -> Path:
        given = self.environ.get("RENSAI_DATA_DIR") or ""
        noted = self.recorded.get("RENSAI_DATA_DIR") or ""
        # What the demo recorded belongs to its own folder; another folder starts afresh.
        if noted and given in {"", noted}:
            self.sources.append((f"the demo's record, {self.recorded_at}", self.recorded))
        self.read("data_dir")
        found = self.values["data_dir"].value
        if isinstance(found, Path):
            return found
        folder = default_data_dir(self.environ)
        self.values["data_dir"] = Value("data_dir", BY_FIELD["data_dir"], folder, "default")
        return folder

    def refuse(self, problem: str) -> None:
        """Raise it, or note it with the setting that it names."""
        if self.strict:
            raise ConfigError(problem)
        self.problems.append(problem)
        name = problem.partition(":")[0]
        for field, value in self.values.items():
            if value.setting.name == name:
                self.values[field] = replace(value, problem=problem)

    def add_settings_file(self, path: Path) -> None:
        try:
            written = read_file(path)
        except ConfigError as error:
            self.refuse(str(error))
            return
        known = {setting.name for setting in SETTINGS} - {"RENSAI_DATA_DIR"}
        for unknown in unknown_names(written, known):
            self.refuse(f"{path}: {unknown} is not a setting that can stand there")
        self.sources.insert(1, (str(path), written))

    def read(self, field: str) -> None:
        if field in self.values:
            return
        setting = BY_FIELD[field]
        default = None if setting.default is None else setting.kind.read(setting.default)
        self.values[field] = Value(field, setting, default, "default")
        for source, texts in self.sources:
            text = texts.get(setting.name, "").strip()
            if text:
                self.values[field] = Value(field, setting, default, source)
                try:
                    value = _parsed(setting, text)
                except ConfigError as error:
                    self.refuse(str(error))
                else:
                    self.values[field] = Value(field, setting, value, source)
                return

    def fill_in(self, data_dir: Path) -> None:
        """Give a value to what has none and depends on the rest."""
        production = self.values["node_env"].value == "production"
        if self._lacks("base_url"):
            if production:
                self.refuse(
                    "BASE_URL: not set; in production it is the address by which the world "
                    "reaches this site, such as https://books.example.com"
                )
            else:
                self._default("base_url", f"http://127.0.0.1:{self.values['port'].value}")
        if self._lacks("log_format"):
            self._default("log_format", "text" if sys.stderr.isatty() else "json")
        if self._lacks("trusted_proxies"):
            self._default("trusted_proxies", ())
        absent = {
            field: setting
            for field, setting in BY_FIELD.items()
            if setting.generate_bytes and self._lacks(field)
        }
        if production:
            for setting in absent.values():
                self.refuse(
                    f"{setting.name}: not set; production wants a secret that you keep, made "
                    f"with: openssl rand -hex {setting.generate_bytes}"
                )
        elif absent:
            self._fill_in_secrets(data_dir, absent)

    def _fill_in_secrets(self, data_dir: Path, absent: Mapping[str, Setting]) -> None:
        path = data_dir / "secrets.env"
        sizes = {setting.name: setting.generate_bytes for setting in absent.values()}
        try:
            kept = generated_secrets(data_dir, sizes) if self.strict else read_file(path)
        except ConfigError as error:
            self.refuse(str(error))
            return
        for field, setting in absent.items():
            text = kept.get(setting.name)
            value = _parsed(setting, text) if text else None
            source = f"generated, {path}" if text else "to be generated at the first start"
            self.values[field] = Value(field, setting, value, source)

    def _lacks(self, field: str) -> bool:
        return self.values[field].value is None and not self.values[field].problem

    def _default(self, field: str, value: object) -> None:
        self.values[field] = Value(field, BY_FIELD[field], value, "default")


def _parsed(setting: Setting, text: str) -> object:
    try:
        return setting.kind.read(text)
    except NotThisKindError:
        told = HIDDEN if setting.secret else repr(text[:200])
        raise ConfigError(f"{setting.name}: {told} is not {setting.kind.expected}") from None


def _wrong_together(values: Mapping[str, Value]) -> Iterator[str]:
    """The rules that bind one setting to another."""
    present = {
        value.setting.name for value in values.values() if value.value is not None or value.problem
    }
    if values["queue_backend"].value == "redis" and "REDIS_URL" not in present:
        yield "REDIS_URL: not set; QUEUE_BACKEND=redis expects it, such as redis://127.0.0.1:6379/0"
    for name in ("DATABASE_REPLICA_URL", "DATABASE_QUEUE_URL"):
        if name in present and "DATABASE_PRIMARY_URL" not in present:
            yield f"DATABASE_PRIMARY_URL: not set; {name} expects it to be set too"
    if "SMTP_URL" in present and "MAIL_FROM" not in present:
        yield "MAIL_FROM: not set; SMTP_URL expects it, such as Rensai <books@example.com>"
    missing = [name for name in _S3 if name not in present]
    if len(missing) < len(_S3):
        for name in missing:
            yield f"{name}: not set; an S3-compatible store expects all of {', '.join(_S3)}"
    elif "BACKUP_STORAGE_BUCKET" in present:
        yield "STORAGE_ENDPOINT: not set; BACKUP_STORAGE_BUCKET expects a store"


def _without_password(text: str) -> str:
    parts = urlsplit(text)
    userinfo, at, place = parts.netloc.rpartition("@")
    if at and ":" in userinfo:
        userinfo = userinfo.partition(":")[0] + ":" + HIDDEN
    query = "&".join(
        "password=" + HIDDEN if pair.lower().startswith("password=") else pair
        for pair in parts.query.split("&")
    )
    return urlunsplit(parts._replace(netloc=userinfo + at + place, query=query))
