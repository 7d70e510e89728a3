"""Settings: a documented file, every value checked, comments kept."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from content.settings import Settings, SettingsError, default_text, from_values, load, save


def refusal(**values: object) -> str:
    with pytest.raises(SettingsError) as refused:
        from_values(values)
    return str(refused.value)


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    assert load(tmp_path / "settings.toml") == Settings()


def test_the_default_file_explains_every_setting_and_says_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(default_text(), encoding="utf-8")
    assert load(path) == Settings()
    lines = default_text().splitlines()
    for number, line in enumerate(lines):
        if " = " in line and not line.startswith("#"):
            assert lines[number - 1].startswith("# "), line


def test_the_defaults_are_those_the_scheduler_knows() -> None:
    plan = Settings().plan()
    assert plan.learning_steps_s == (60, 600)
    assert plan.relearning_steps_s == (600,)
    assert plan.desired_retention == 0.90
    assert plan.leech_lapses == 8
    assert plan.rollover_hour == 4
    assert plan.fuzz


def test_a_message_names_the_key_what_was_given_and_what_is_allowed() -> None:
    message = refusal(new_per_day=-1)
    assert "new_per_day" in message
    assert "-1" in message
    assert "0 to 9999" in message


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(SettingsError) as refused:
        from_values({"order": "mixd", "fuzz": "yes", "leech_lapses": 0})
    assert len(refused.value.faults) == 3
    assert 'did you mean "mixed"?' in refused.value.faults[0]


@pytest.mark.parametrize("wrong", ["desired_retentoin", "Desired-Retention", "retention"])
def test_an_unknown_key_is_an_error_with_a_suggestion(wrong: str) -> None:
    assert 'did you mean "desired_retention"?' in refusal(**{wrong: 0.9})


def test_a_key_like_no_setting_gets_no_suggestion() -> None:
    assert "did you mean" not in refusal(zzzz=1)


@pytest.mark.parametrize("value", [0.70, 0.9, 0.97])
def test_retention_from_70_to_97_percent_is_offered(value: float) -> None:
    assert from_values({"desired_retention": value}).desired_retention == value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "too much is forgotten"),
        (0.5, "too much is forgotten"),
        (0.99, "several times as often"),
        (1, "recall is never certain"),
        (90, "write 0.90"),
        ("90", "write 0.90"),
        ("0.9", "write 0.90"),
        ("0,85", "write 0.85"),
        ("９０%", "write 0.90"),
        ("99%", "0.70 to 0.97"),
        ("high", "without quotes"),
        (True, "0.70 to 0.97"),
        (float("nan"), "0.70 to 0.97"),
        (None, "0.70 to 0.97"),
    ],
)
def test_another_retention_is_refused_with_the_reason(value: object, said: str) -> None:
    message = refusal(desired_retention=value)
    assert "desired_retention" in message
    assert said in message


@pytest.mark.parametrize("steps", [["1d"], ["24h"], ["0m"], ["ten"], [1], "10m", ["1m"] * 21])
def test_a_step_must_be_a_time_shorter_than_a_day(steps: object) -> None:
    assert "learning_steps" in refusal(learning_steps=steps)


def test_steps_may_be_none_and_fold_width() -> None:
    found = from_values({"learning_steps": [], "relearning_steps": ["１０M", "2 h"]})
    assert found.plan().learning_steps_s == ()
    assert found.plan().relearning_steps_s == (600, 7200)


@pytest.mark.parametrize("date", ["2026-12-31", datetime.date(2026, 12, 31)])
def test_the_exam_date_is_a_date(date: object) -> None:
    assert from_values({"exam_date": date}).exam_date == datetime.date(2026, 12, 31)


@pytest.mark.parametrize("date", ["31.12.2026", 2026, datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)])
def test_what_is_no_date_is_refused(date: object) -> None:
    assert "2026-12-31" in refusal(exam_date=date)


def test_own_keys_are_a_table_of_actions() -> None:
    assert from_values({"keys": {"good": "j, 3"}}).keys == {"good": "j,3"}
    for wrong in ({"good": 3}, {"good": ""}, {"good": "j,,3"}, "j"):
        assert "keys" in refusal(keys=wrong)


def test_a_control_character_is_no_name_and_is_not_echoed() -> None:
    assert "\x1b" not in refusal(learner="\x1b[31m")


def test_saving_keeps_comments_order_and_what_else_is_there(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('# mine\ntheme = "dark"  # at night\n\n[keys]\ngood = "j"\n', encoding="utf-8")
    changed = save(path, {"theme": "light", "minutes_per_day": 10})
    text = path.read_text(encoding="utf-8")
    assert changed == load(path)
    assert changed.minutes_per_day == 10
    assert changed.keys == {"good": "j"}
    assert "# mine" in text
    assert 'theme = "light"  # at night' in text


def test_saving_makes_the_documented_file_when_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "config" / "settings.toml"
    save(path, {"exam_date": datetime.date(2026, 12, 31), "learning_steps": ["30s"]})
    assert load(path).exam_date == datetime.date(2026, 12, 31)
    assert load(path).learning_steps == ("30s",)
    assert "# Spread due days a little" in path.read_text(encoding="utf-8")


def test_saving_none_goes_back_to_the_default(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save(path, {"exam_date": "2026-12-31", "theme": "dark", "keys": {"good": "j"}})
    assert save(path, {"exam_date": None, "theme": None, "keys": None}) == Settings() == load(path)


def test_a_refused_change_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('theme = "dark"\n', encoding="utf-8")
    for change in ({"theme": "pink"}, {"no_such": 1}):
        with pytest.raises(SettingsError):
            save(path, change)
    assert path.read_text(encoding="utf-8") == 'theme = "dark"\n'


@pytest.mark.parametrize("content", [b"theme = ", b"theme = 'dark'\ntheme = 'dark'\n", b"\xff\xfe\x00"])
def test_a_file_that_is_not_toml_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"settings\.toml"):
        load(path)
