"""Settings as `rensai config show` explains them: without making anything, whatever is wrong."""

from pathlib import Path

from rensai.config import explain, shown
from tests.test_config import S3, SECRET


def test_what_is_shown_hides_secrets_and_passwords(tmp_path: Path) -> None:
    values = explain(
        {
            "RENSAI_DATA_DIR": str(tmp_path),
            "DATABASE_PRIMARY_URL": "postgresql://ada:hunter2@db/rensai?password=hunter3",
            "SESSION_SECRET": SECRET,
            "JWT_SECRETS": f"{'n' * 40},{SECRET}",
            **S3,
        }
    ).values
    told = {value.setting.name: shown(value.setting, value.value) for value in values}
    assert told["SESSION_SECRET"] == told["JWT_SECRETS"] == "(hidden)"
    assert told["DATABASE_PRIMARY_URL"] == ("postgresql://ada:(hidden)@db/rensai?password=(hidden)")
    assert not any(
        secret in text
        for text in told.values()
        for secret in ("hunter", SECRET, "n" * 40, "a-storage-secret")
    )


def test_looking_at_the_settings_makes_nothing(tmp_path: Path) -> None:
    values = explain({"RENSAI_DATA_DIR": str(tmp_path / "absent")}).values
    assert not (tmp_path / "absent").exists()
    sources = {value.setting.name: value.source for value in values}
    assert sources["SESSION_SECRET"] == "to be generated at the first start"


def test_each_wrong_setting_is_marked_and_the_others_are_shown(tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text("PROT=1\n")
    found = explain(
        {
            "RENSAI_DATA_DIR": str(tmp_path),
            "NODE_ENV": "production",
            "PORT": "abc",
            "LOG_LEVEL": "debug",
            "REDIS_URL": "http://:hunter2@cache",
            "DATABASE_QUEUE_URL": "postgresql://db/rensai",
        }
    )
    wrong = {value.setting.name: value.problem for value in found.values if value.problem}
    assert sorted(wrong) == [
        "BASE_URL",
        "DATABASE_PRIMARY_URL",
        "PORT",
        "PORTABLE_KEY_HMAC_SECRET",
        "REDIS_URL",
        "SESSION_SECRET",
    ]
    assert wrong["PORT"] == "PORT: 'abc' is not a whole number from 1 to 65535"
    assert {*wrong.values()} < {*found.problems}
    assert any("PROT is not a setting" in problem for problem in found.problems)
    assert not any("hunter2" in problem for problem in found.problems)
    assert next(v.value for v in found.values if v.setting.name == "LOG_LEVEL") == "debug"


def test_right_settings_have_no_problems(tmp_path: Path) -> None:
    assert explain({"RENSAI_DATA_DIR": str(tmp_path), **S3}).problems == []
