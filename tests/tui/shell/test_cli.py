"""The command line: one line and an exit code for each way it can end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from content.settings import Settings
from tui.cli import Options, main
from tui.clock import Clock
from tui.demo import make_demo
from tui.paths import Places, find_places
from tui.setting_faults import known_actions, unknown_actions


def shardrill(*arguments: object, home: Path, answer: str | None = None) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, with pipes for a terminal."""
    command = [sys.executable, "-m", "tui", "--data-dir", str(home), *map(str, arguments)]
    return subprocess.run(command, input=answer, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """A record with the demo's ninety days over the shipped pack."""
    places = find_places(tmp_path_factory.mktemp("home"))
    make_demo(places, Settings(), Clock())
    return places


@pytest.mark.parametrize("command", [(), ("review",), ("--demo",)])
def test_without_a_terminal_the_app_says_one_line_and_ends(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = shardrill(*command, home=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "--plain" in done.stderr


@pytest.mark.parametrize("command", [("rebuild",), ("due",), ("review", "--plain"), ("drills",)])
def test_a_fault_nobody_expected_is_logged_in_the_folder_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    def fail(_options: Options) -> Settings:
        raise ValueError("nobody expected this")

    monkeypatch.setattr(Options, "settings", fail)
    named, elsewhere = tmp_path / "named", tmp_path / "elsewhere"
    monkeypatch.setenv("SHARDRILL_HOME", str(elsewhere))
    monkeypatch.setattr("sys.argv", ["shardrill", "--data-dir", str(named), *command])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "nobody expected this" in find_places(named).log.read_text(encoding="utf-8")
    assert str(find_places(named).log) in capsys.readouterr().err
    assert not elsewhere.exists()


def test_due_is_one_line_or_one_object(home: Places) -> None:
    line = shardrill("due", home=home.data)
    assert (line.returncode, line.stderr, line.stdout.count("\n")) == (0, "", 1)
    facts = json.loads(shardrill("due", "--json", home=home.data).stdout)
    assert facts["schema"] == "shardrill.due.v1"
    assert facts["due"]["unit"] == "cards"
    assert facts["expected"]["unit"] == "s"
    assert f"{facts['due']['value']} due" in line.stdout


def test_due_speaks_chinese_and_of_an_empty_folder(tmp_path: Path) -> None:
    done = shardrill("--lang", "zh", "due", home=tmp_path)
    assert done.returncode == 0
    assert "学习记录" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("minutes_per_day = 20\nfoo = 1\n", 'settings.toml:2: There is no setting "foo"'),
        ("# c\n\nminutes_per_day = 0\n", "settings.toml:3: minutes_per_day is 0"),
        ("minutes_per_day = \n", "settings.toml:1: This is not valid TOML"),
        ("[keys]\ngood = 5\n", "settings.toml:1: keys is {good = 5}"),
        ('learning_steps = ["1d"]\n', 'learning_steps is ["1d"], but'),
    ],
)
def test_faulty_settings_are_named_with_their_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "settings.toml").write_text(text, encoding="utf-8")
    done = shardrill("due", home=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nnew_per_day = -1\n", "settings.toml:2: new_per_day 现在是 -1，但只允许：0 到 9999 的整数。"),
        ('order = "mixd"\n', 'order 现在是 "mixd"，但只允许："mixed", "reviews-first", "new-first"。'),
        ("fuzz = 1\n", "fuzz 现在是 1，但只允许：true, false。"),
        ("keys = 1\n", "keys 现在是 1，但只允许：[keys] 之下形如"),
        ("new-per-day = 1\n", "没有 new-per-day 这个设置；是不是 new_per_day？"),
        ("x = [\n", "这不是有效的 TOML"),
    ],
)
def test_faulty_settings_are_named_in_chinese_too(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "settings.toml").write_text(text, encoding="utf-8")
    done = shardrill("--lang", "zh", "due", home=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


@pytest.mark.parametrize("how", ["a folder", "a device", "not UTF-8", "huge"])
def test_what_is_no_settings_file_is_named_and_not_read(tmp_path: Path, how: str) -> None:
    path = tmp_path / "settings.toml"
    if how == "a folder":
        path.mkdir()
    elif how == "a device":
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(b"\xff\xfe" if how == "not UTF-8" else b"#" * 2_000_000)
    done = shardrill("due", home=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "settings.toml: This file cannot be read: " in done.stderr
    assert "Errno" not in done.stderr


def test_own_keys_for_an_action_that_no_screen_has_are_named_with_the_one_meant(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[keys]\nundo = "z"\nsuspned = "y"\n', encoding="utf-8")
    wrong = unknown_actions(Settings(keys={"undo": "z", "suspned": "y"}), path)
    assert wrong == f"{path}:3: There is no action suspned; did you mean suspend?"
    assert unknown_actions(Settings(keys=dict.fromkeys(known_actions(), "z")), path) == ""
    assert {"answer", "again", "undo", "help", "settings.change"} <= known_actions()


def test_a_record_that_cannot_be_read_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "record.sqlite3").write_bytes(b"no database" * 200)
    for command in (("due",), ("rebuild",), ("backup",)):
        done = shardrill(*command, home=tmp_path)
        assert done.returncode == 5, command
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") == 1


def test_rebuild_finds_the_demo_as_it_was_written(home: Places) -> None:
    done = shardrill("rebuild", home=home.data)
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("0 were different.")


def test_backup_and_restore_bring_back_a_record_that_cannot_be_opened(home: Places) -> None:
    before = shardrill("due", home=home.data).stdout
    assert shardrill("backup", home=home.data).returncode == 0
    home.record.write_bytes(b"broken" * 1000)
    assert shardrill("due", home=home.data).returncode == 5
    assert shardrill("restore", home=home.data, answer="n\n").returncode == 1
    done = shardrill("restore", "--yes", home=home.data)
    assert done.returncode == 0, done.stderr
    assert shardrill("due", home=home.data).stdout == before


def test_restore_without_a_copy_changes_nothing(tmp_path: Path) -> None:
    done = shardrill("restore", "--yes", home=tmp_path)
    assert done.returncode == 1
    assert "no readable copy" in done.stderr


def test_pack_check_names_file_line_rule_and_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "pack.yaml").write_text("id: bad\nid: bad\n", encoding="utf-8")
    done = shardrill("pack", "check", folder, home=tmp_path / "home")
    assert done.returncode == 1
    assert done.stdout.startswith(f"{folder / 'pack.yaml'}:")


def test_pack_list_shows_the_shipped_pack(tmp_path: Path) -> None:
    done = shardrill("pack", "list", home=tmp_path)
    assert done.returncode == 0
    assert "distributed-training-map" in done.stdout


def test_settings_path_and_version(tmp_path: Path) -> None:
    assert shardrill("settings", "path", home=tmp_path).stdout.strip() == str(tmp_path / "settings.toml")
    assert shardrill("--version", home=tmp_path).stdout.startswith("shardrill ")


def test_an_unknown_command_is_wrong_usage(tmp_path: Path) -> None:
    done = shardrill("nosuch", home=tmp_path)
    assert done.returncode == 2
    assert "No such command" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["due", "drills", "review --plain", "--help"])
def test_output_that_finds_no_room_is_one_line_and_no_fault_of_the_program(home: Places, command: str) -> None:
    start = [sys.executable, "-m", "tui", "--data-dir", str(home.data), *command.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            start, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert (done.returncode, done.stderr) == (1, "shardrill: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="closes streams by the shell")
def test_a_closed_input_ends_a_plain_sitting_and_a_closed_output_does_no_harm(home: Places) -> None:
    start = f"{sys.executable} -m tui --data-dir {home.data} review"
    closed = subprocess.run(f"{start} --plain <&-", shell=True, capture_output=True, text=True, timeout=60)
    assert (closed.returncode, closed.stderr) == (0, "")
    silent = subprocess.run(
        f"{start} --plain >&- </dev/null", shell=True, stderr=subprocess.PIPE, text=True, timeout=60
    )
    assert (silent.returncode, silent.stderr) == (0, "")
    no_screen = subprocess.run(f"{start} <&-", shell=True, capture_output=True, text=True, timeout=60)
    assert no_screen.returncode == 2
    assert "--plain" in no_screen.stderr


def test_a_plain_sitting_makes_the_copy_of_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DAT-04: also for one who never opens a screen."""
    monkeypatch.setenv("SHARDRILL_NOW", "2026-11-30T10:00:00+08:00!")
    assert shardrill("review", "--plain", home=tmp_path, answer="q\n").returncode == 0
    assert [copy.name for copy in (tmp_path / "backups").iterdir()] == ["record-2026-11-30.sqlite3"]
