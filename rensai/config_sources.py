"""Where values come from besides the environment: small files of `NAME=value` lines.

Three of them exist: `settings.env` in the data folder, which you may write; `secrets.env`
beside it, which is generated; and the record that the demo leaves in its virtual environment,
so that the command line finds the demo's data folder later.
"""

import fcntl
import os
import secrets
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from rensai.config_kinds import ConfigError

RECORD_NAME = "rensai-demo.env"


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """The data folder of someone who chose none."""
    if os.geteuid() == 0:
        return Path("/var/lib/rensai")
    home = Path(environ.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "rensai"
    return Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "rensai"


def read_file(path: Path) -> dict[str, str]:
    """The `NAME=value` lines of a file, or nothing when there is no such file."""
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {_reason(error)}") from None
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip().removeprefix("export ")
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.partition("=")
        if not equals:
            raise ConfigError(f"{path}, line {number}: expected NAME=value")
        values[name.strip()] = _unquoted(value.strip())
    return values


def write_file(path: Path, heading: str, values: Mapping[str, str], mode: int = 0o600) -> None:
    """Replace a file of `NAME=value` lines as a whole, so that no reader meets half of it."""
    lines = [f"# {heading}", *(f"{name}={value}" for name, value in values.items())]
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def ensure_data_dir(path: Path) -> None:
    """Make the data folder if absent, and be sure that it can be written."""
    try:
        # Others may pass through, not look: as root the database runs as another user.
        path.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        probe = path / f".probe.{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise ConfigError(
            f"RENSAI_DATA_DIR: {path} cannot be used: {_reason(error)}; "
            "expected a folder that this user can write"
        ) from None


def generated_secrets(data_dir: Path, sizes: Mapping[str, int]) -> dict[str, str]:
    """The secrets kept in the data folder; those still missing are made now, once.

    Two processes that start together agree, because the file is read and written under a lock.
    """
    path = data_dir / "secrets.env"
    try:
        with (data_dir / ".secrets.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            values = read_file(path)
            missing = [name for name in sizes if not values.get(name)]
            if missing:
                values |= {name: secrets.token_hex(sizes[name]) for name in missing}
                write_file(path, "Generated once. Keep it private, and keep it.", values)
            elif path.stat().st_mode & 0o077:
                path.chmod(0o600)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {_reason(error)}") from None
    return values


def record_path() -> Path | None:
    """Where the demo's record lies: inside a virtual environment, or nowhere."""
    return Path(sys.prefix) / RECORD_NAME if sys.prefix != sys.base_prefix else None


def write_record(values: Mapping[str, str]) -> Path | None:
    """Remember the demo's data folder, port and address for later commands."""
    path = record_path()
    if path is None or record_path_matches(path, values):
        return path
    try:
        write_file(path, "Where the last demo ran; the environment wins over it.", values, 0o644)
    except OSError:
        return None  # a read-only installation: later commands then need RENSAI_DATA_DIR
    return path


def record_path_matches(path: Path, values: Mapping[str, str]) -> bool:
    """Whether the record says the same already."""
    return read_file(path) == dict(values)


def unknown_names(values: Iterable[str], known: Iterable[str]) -> list[str]:
    """Names in a settings file that are no settings: most often a typing mistake."""
    return sorted(set(values) - set(known))


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
