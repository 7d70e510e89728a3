"""What a document says of a machine, and what it must not say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evidence.environment import environment_text, here, of_interpreter, plain
from evidence.errors import RunRefused
from evidence.privacy import HIDDEN, Identity, has_secret, identity, masked, personal
from evidence.runs import shown_command

WHO = Identity("wangwei", "thinkpad-x1", "/data/people/wangwei")


def test_the_environment_names_versions_system_and_processor() -> None:
    assert environment_text("3.12.1", "2.1.0", "Linux x86_64", "AMD EPYC") == (
        "Python 3.12.1, numpy 2.1.0, Linux x86_64, AMD EPYC"
    )
    assert environment_text("3.12.1", None, "macOS arm64", None) == "Python 3.12.1, no numpy, macOS arm64"


def test_this_machine_is_described_without_its_names() -> None:
    assert here().python == ".".join(map(str, sys.version_info[:3]))
    assert not set(personal(here().text, identity())) - {"user", "host"}


def test_another_interpreter_is_asked() -> None:
    assert of_interpreter(sys.executable) == here()


def test_what_is_no_python_is_refused() -> None:
    for name in ("/bin/true", "/no/such/python"):
        with pytest.raises(RunRefused, match="cannot be started as Python"):
            of_interpreter(name)


def test_odd_processor_names_become_plain() -> None:
    assert plain("  Intel(R)\tCore™  i7\x1b[31m ") == "Intel(R) Core i7 [31m"
    assert plain("") is None
    assert len(plain("x" * 500) or "") == 80


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("python parity.py --seed 3", ()),
        ("python /home/bob/parity.py", ("home",)),
        ("/Users/bob/x", ("home",)),
        (r"C:\Users\bob\x.py", ("home",)),
        ("--out=~/x", ("home",)),
        ("/" + "root/x", ("home",)),
        ("/data/people/wangwei/x", ("home", "user")),
        ("run by WangWei", ("user",)),
        ("on thinkpad-x1", ("host",)),
        ("mail bob@x.example", ("email",)),
        ("ghp_abcdefghijklmnop1234", ("secret",)),
        ("hf_abcdefghijklmnopqrst", ("secret",)),
        ("--api-key=hunter2hunter2", ("secret",)),
        ("--token abc123def", ("secret",)),
        ("https://bob:pass@x.example/a", ("secret",)),
        ("--token=1048576 --n-tokens 4096", ()),
        ("wangweis", ()),
        ("/homework/a.py", ()),
    ],
)
def test_personal_data_is_found_and_masked(text: str, kinds: tuple[str, ...]) -> None:
    assert set(kinds) <= set(personal(text, WHO))
    assert bool(personal(text, WHO)) == bool(kinds)
    assert not personal(masked(text, WHO), WHO)
    assert (masked(text, WHO) == text) == (not kinds)


def test_names_that_many_have_are_left_alone() -> None:
    assert personal("root runs the script on localhost", Identity("root", "localhost", "/")) == ()
    assert not has_secret("the token counts differ")


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (("/opt/env/bin/python3.12", "parity.py"), "python3.12 parity.py"),
        (("/home/bob/my python", "parity.py"), "python parity.py"),
        (("python", "a b.py", "--n1", "4"), "python 'a b.py' --n1 4"),
        (("python", "p.py", "/srv/repo/out/x.csv"), "python p.py out/x.csv"),
        (("python", "p.py", "--out=/srv/repo/out/x.csv"), "python p.py --out=out/x.csv"),
        (("python", "p.py", "/etc/x"), f"python p.py '{HIDDEN}'"),
        (("python", "p.py", "--out=/home/bob/x"), f"python p.py '--out={HIDDEN}'"),
        (("python", "p.py", "--who", "bob@x.example"), f"python p.py --who '{HIDDEN}'"),
        (("python", "p.py", "--on=thinkpad-x1"), f"python p.py '--on={HIDDEN}'"),
    ],
)
def test_a_command_line_is_shown_relative_to_the_repository(argv: tuple[str, ...], shown: str) -> None:
    assert shown_command(argv, Path("/srv/repo"), WHO) == shown
