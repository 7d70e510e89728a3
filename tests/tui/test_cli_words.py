"""The command line speaks Chinese to those who read Chinese only, and lays it out by columns."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from rich.cells import cell_len

from tui import words
from tui.cli import cli
from tui.cli_words import ColumnFormatter, early_language, paragraphs

ENGLISH_SENTENCE = re.compile(r"[a-z]+ [a-z]+ [a-z]+")


def commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from commands(inner)


@pytest.mark.parametrize("command", list(commands(cli)), ids=lambda command: str(command.name))
def test_the_help_of_every_command_and_option_has_a_chinese_text(command: click.Command) -> None:
    words.set_language("zh")
    texts = paragraphs(command.help or "")
    texts += [param.help for param in command.params if isinstance(param, click.Option) and param.help]
    assert not [text for text in texts if words._(text) == text]


def run(*arguments: str, home: Path, **more: str) -> str:
    """What the program says, run as a child with a home of its own."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "SHARDRILL"))}
    env |= {"SHARDRILL_HOME": str(home), "COLUMNS": "80", "PYTHONUTF8": "1", **more}
    done = subprocess.run([sys.executable, "-m", "tui", *arguments], env=env, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--help"], "每天十分钟"),
        (["drill", "--help"], "默认：10"),
        (["nosuch"], "错误：没有 nosuch 这个命令。"),
        (["due", "--nosuch"], "错误：没有 --nosuch 这个选项。"),
        (["due", "more"], "多出了参数（more）"),
        (["solve"], "缺少参数 'DRILL'"),
        (["drill", "--count", "0"], "0 不在范围 1<=x<=1000 之内。"),
        (["drill", "--count", "many"], "many 不是有效的数"),
        (["pack", "check", "/nonexist"], "/nonexist 不存在。"),
        (["grade", "x"], "请给出一道计算题"),
        (["pack"], "检查、列出卡包"),
    ],
)
def test_help_and_wrong_usage_are_in_chinese(tmp_path: Path, arguments: list[str], says: str) -> None:
    said = run(*arguments, home=tmp_path, LANG="zh_CN.UTF-8")
    assert says in said
    assert not ENGLISH_SENTENCE.search(re.sub(r"shardrill( [a-z]+)*", "", said)), said
    assert max(cell_len(line) for line in said.splitlines()) <= 80


def test_option_setting_and_locale_choose_the_language_of_help(tmp_path: Path) -> None:
    assert "Usage:" in run("--help", home=tmp_path, LANG="C.UTF-8")
    assert "用法：" in run("--lang", "zh", "--help", home=tmp_path, LANG="C.UTF-8")
    assert "Usage:" in run("--lang=en", "--help", home=tmp_path, LANG="zh_CN.UTF-8")
    (tmp_path / "settings.toml").write_text('theme = "dark"\nlanguage = "zh"  # 中文\n', encoding="utf-8")
    assert "用法：" in run("--help", home=tmp_path, LANG="C.UTF-8")


@pytest.mark.parametrize(
    ("arguments", "language"),
    [(["--lang"], "en"), (["--lang", "fr"], "en"), (["due", "--lang", "zh"], "zh"), ([], "en")],
)
def test_a_language_that_is_none_is_no_reason_to_stop(
    arguments: list[str], language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C")
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe language = 'zh'")
    assert early_language(arguments, tmp_path / "settings.toml") == language


def test_the_second_column_stands_under_itself_and_no_line_starts_with_a_comma() -> None:
    formatter = ColumnFormatter(width=60)
    formatter.indent()
    formatter.write_dl(
        [("-h", "显示这段说明，然后结束，什么也不做。"), ("--a-very-long-name-of-an-option", "是"), ("--x", "")]
    )
    lines = formatter.getvalue().splitlines()
    assert all(cell_len(line) <= 60 for line in lines)
    assert not [line for line in lines if line.strip()[:1] in "，。" and line.strip()]
    assert lines[0].index("显") == len("  ") + len("--a-very-long-name-of-an-option") - 1 + 2
