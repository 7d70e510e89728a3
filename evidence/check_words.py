"""What a check says, in both languages: one finding for each thing to mend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from content.cards import Text
from content.faults import Fault
from content.runs_store import Run
from content.safe_yaml import Document, Key, Listing
from evidence.privacy import Kind
from evidence.standing import Objection

Path_ = tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend. `rule` is a stable slug; `line` counts from 1."""

    line: int
    rule: str
    text: Text


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, by line."""
    return tuple(sorted(set(findings), key=lambda one: (one.line, one.rule, one.text.en)))


_READER_ZH = {
    "tag": "去掉标签：值只能是普通数据",
    "too-many-aliases": "不用别名，把内容写出来",
    "alias": "不用别名，把内容写出来",
    "duplicate-key": "删去一个：同一个键写了两次",
    "tab": "这一行的制表符请改成空格",
    "too-large": "文件太大：证据文档只有几千字节",
    "too-deep": "层次太深：证据文档只有几层",
    "too-many-nodes": "内容太多：证据文档只有几十个值",
    "too-long": "这个值太长，请缩短",
    "control-character": "去掉这一行里不可见的控制字符",
    "not-utf-8": "请把文件存为 UTF-8",
    "empty-file": "文件是空的：先用 shardrill evidence export 写出",
    "syntax": "这一行不是 YAML：看看是否少了引号",
    "more-than-one-document": "去掉 --- 以及后面的文档",
    "directive": "去掉以 % 开头的行",
    "merge-key": "不用 <<，把键写出来",
    "key-not-text": "键要用普通的词",
    "unquoted-value": "给这个值加上引号：有的读者会把它看成别的类型",
    "empty-value": "给出一个值，或去掉这个键",
    "not-a-file": "这里需要一个普通文件",
    "unreadable": "无法读取这个文件",
}


def of_reader(fault: Fault) -> Finding:
    """A fault of the YAML reader."""
    return Finding(fault.line, fault.rule, Text(fault.what_to_do, _READER_ZH.get(fault.rule, fault.what_to_do)))


def no_document() -> Finding:
    return Finding(
        1,
        "wrong-type",
        Text(
            "write keys and values, as shardrill evidence export does",
            "要写成键和值，如 shardrill evidence export 所写",
        ),
    )


def unknown_module(document: Document, known: Sequence[str]) -> Finding:
    listed = ", ".join(known) or "-"
    return Finding(
        document.line_of(("module",)),
        "unknown-module",
        Text(
            f"name a module that a pack has a template for ({listed})",
            f"module 要是某个题包有模板的模块（{listed}）",
        ),
    )


def placeholder(line: int, shown: str) -> Finding:
    return Finding(line, "placeholder", Text(f"not filled yet: {shown}", f"尚未填写：{shown}"))


def missing_key(line: int, key: str) -> Finding:
    return Finding(line, "missing-key", Text(f"add `{key}`, as the template has it", f"补上 `{key}`，如模板所写"))


def unknown_key(line: int, key: str) -> Finding:
    return Finding(
        line, "unknown-key", Text(f"remove `{key}`: the template has no such key", f"去掉 `{key}`：模板没有这个键")
    )


def key_order(line: int, key: str, wanted: Sequence[str]) -> Finding:
    listed = ", ".join(wanted)
    return Finding(
        line,
        "key-order",
        Text(f"`{key}` is out of order: write the keys as {listed}", f"`{key}` 的顺序不对：键的顺序应为 {listed}"),
    )


def wrong_type(line: int, wanted: Text) -> Finding:
    return Finding(line, "wrong-type", wanted)


def changed(line: int, shown: str) -> Finding:
    return Finding(
        line, "not-of-template", Text(f"write {shown}, as the template has it", f"这里应写 {shown}，如模板所写")
    )


def list_length(line: int, count: int) -> Finding:
    return Finding(
        line,
        "list-length",
        Text(f"list the {count} of the template, no more and no less", f"应与模板一样列出 {count} 项"),
    )


def _line(document: Document, path: Path_) -> int:
    """The line of a value; of a list, that of its first item."""
    return document.line_of((*path, 0) if isinstance(document.node(path), Listing) else path)


def no_run(document: Document, path: Path_) -> Finding:
    return Finding(
        _line(document, path),
        "unsupported",
        Text(
            "no run for this document is recorded here: run it with shardrill lab run, then export",
            "这里没有记录支持它的运行：先用 shardrill lab run 运行，再导出",
        ),
    )


def unsupported(document: Document, path: Path_, run: Run, said: Any) -> Finding:
    shown = _shown(said)
    return Finding(
        _line(document, path),
        "unsupported",
        Text(
            f"no recorded run supports this: run {run.short_id}, the nearest, has {shown}",
            f"没有运行记录支持它：最接近的运行 {run.short_id} 记录的是 {shown}",
        ),
    )


def _shown(said: Any) -> str:
    if said is None:
        return "-"
    if isinstance(said, list):
        return ", ".join(str(one) for one in said)
    return str(said).lower() if isinstance(said, bool) else str(said)


NO_REPOSITORY = Text(
    "the commit cannot be looked up: name the repository with --repo",
    "无法查对提交：请用 --repo 指定仓库",
)
UNKNOWN_COMMIT = Text(
    "the repository does not know this commit: name the right one with --repo",
    "该仓库中没有这个提交：请用 --repo 指定正确的仓库",
)
_RULES = {"changed-since": "artifact-changed", "missing": "artifact-missing", "differs-at-head": "artifact-differs"}


def objection(document: Document, one: Objection) -> Finding:
    """Something that the repository says against the run."""
    rule = _RULES.get(one.code, one.code)
    path: Path_ = ("commit",)
    if one.path:
        listed = document.value.get("artifacts")
        place = listed.index(one.path) if isinstance(listed, list) and one.path in listed else 0
        path = ("artifacts", place)
    return Finding(document.line_of(path), rule, _lowered(one.text))


def _lowered(text: Text) -> Text:
    return Text((text.en[:1].lower() + text.en[1:]).rstrip("."), text.zh.rstrip("。"))


def missing_artifact(document: Document, index: int, path: str) -> Finding:
    return Finding(
        document.line_of(("artifacts", index)),
        "artifact-missing",
        Text(
            f"{path} is no file of the repository: give a path relative to it",
            f"仓库中没有文件 {path}：请写相对仓库的路径",
        ),
    )


def false_metric(document: Document, path: Path_, name: str, *, is_silent: bool) -> Finding:
    if is_silent:
        text = Text(
            f"{name} came out false: say so in known_failures", f"{name} 的结果为假：请在 known_failures 中写明"
        )
        return Finding(document.line_of(path), "unstated-failure", text)
    return Finding(
        document.line_of(path),
        "metric-false",
        Text(f"{name} came out false: the document is no proof of it", f"{name} 的结果为假：这份文档不能证明它"),
    )


_KINDS_ZH: dict[Kind, str] = {
    "email": "邮箱地址",
    "home": "主目录路径",
    "secret": "令牌或密码",
    "user": "用户名",
    "host": "主机名",
}
_KINDS_EN: dict[Kind, str] = {
    "email": "an e-mail address",
    "home": "a home folder",
    "secret": "a token or password",
    "user": "a user name",
    "host": "a host name",
}


def personal(line: int, kinds: Sequence[Kind]) -> Finding:
    return Finding(
        line,
        "personal-data",
        Text(
            f"remove {', '.join(_KINDS_EN[kind] for kind in kinds)}",
            f"去掉{'、'.join(_KINDS_ZH[kind] for kind in kinds)}",
        ),
    )


def rerun_failed(document: Document) -> Finding:
    return Finding(
        document.line_of(("metrics",)),
        "rerun-failed",
        Text("run again, it failed: mend it and export anew", "重新运行失败：请修好后重新导出"),
    )


def rerun_differs(document: Document, path: Path_, now: Any) -> Finding:
    return Finding(
        document.line_of(path),
        "rerun-differs",
        Text(f"run again, it gave {_shown(now)}: export anew", f"重新运行的结果是 {_shown(now)}：请重新导出"),
    )
