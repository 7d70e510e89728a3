"""The formulas in a typed answer: stretches that the answer engine can read, with their place, compared with those asked for.

Numbers, known letters and operators are gathered as far as they go and read as a whole: a part of a longer formula is never taken
for the whole, so that 2Φ is not found in 2Φ + 14Φ/N.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from grading.evaluate import value_of
from grading.expr import Bin, Context, Node, Num, names_in, parse, walk
from grading.formulas import same
from grading.reading import Unreadable, fold_characters
from grading.saying import Saying, Span
from grading.tree import FUNCTIONS, with_values

MAX_FORMULA = 120
"""Characters of one formula in an answer."""
TOTAL = "all_of_them"
"""The name under which a sum in a denominator is read."""
MAX_NAME = 20
MAX_FORMULAS = 60
"""Different formulas looked at in one answer."""
MAX_PLACES = 200
"""Places of formulas looked at in one answer."""
_NAME = re.compile(r"[A-Za-z\u0370-\u03ff]+(?:_\{?[A-Za-z0-9]+\}?)?")
_ALSO = {
    "phi": ("Φ", "φ", "Ψ", "ψ", "psi", "Psi", "P", "params", "parameters", "参数量", "#params"),
    "n": ("N", "n", "N_d", "Nd", "N_dp", "N_gpu", "N_DP"),
}
"""Other usual letters for what the field's formulas call Φ and N: the ZeRO paper writes Ψ and N_d."""
_NO_LETTERS = frozenset("aiIxXbBeEoO")
_UNITS = frozenset({"b", "B", "GB", "MB", "KB", "TB", "s"})
_TOKEN = re.compile(
    r"(?P<space>[ \t\\$*]*[ \t\\$]+)|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<sum>(?:sum(?:ming)?|[ΣƩ∑])(?:_\{?[a-zA-Z](?:=\d+)?\}?)?(?:\^\{?[a-zA-Z]\}?)?[\u1d62\u2c7c]?(?![A-Za-z_](?![_A-Z]))(?:\s+(?:of|over))?)"
    r"|(?P<wordop>divided by\b|over\b|times\b|plus\b|除以|乘以|乘|加上|加(?![权起和速载入]))"
    r"|(?P<name>[A-Za-z\u0370-\u03ff\U0001d6bd\U0001d719]+[0-9]*(?:_\{?[A-Za-z0-9]+\}?)?)|(?P<op>\*\*|[-+*/^×·÷⋅∙∗✕•])|(?P<open>[(\[（【])|(?P<close>[)\]）】])"
)
_WORD_OPS = {
    "divided by": "/",
    "over": "/",
    "times": "*",
    "plus": "+",
    "除以": "/",
    "乘以": "*",
    "乘": "*",
    "加上": "+",
    "加": "+",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A formula in a text; `summed` where it stands under a sum sign."""

    span: Span
    node: Node
    text: str
    summed: bool = False


class Letters:
    """The names formulas may use: the caller's, those of the rubric's own formulas, other usual letters, single letters."""

    def __init__(self, formulas: Iterable[str], names: Mapping[str, str]) -> None:
        keys: dict[str, str] = {fold_safely(spelling): key for spelling, key in names.items()}
        own = [name for formula in formulas for name in _NAME.findall(fold_safely(formula)) if name not in FUNCTIONS]
        for name in own:
            keys.setdefault(name, name)
        for key in list(dict.fromkeys(keys.values())):
            for spelling in _spellings(key):
                keys.setdefault(spelling, key)
        self.core = dict(keys)
        for code in (*range(65, 91), *range(97, 123)):
            letter = chr(code)
            if letter not in _NO_LETTERS and letter not in _UNITS:
                keys.setdefault(letter, letter)
        for spelling, key in (("L_i", "L_i"), ("Li", "L_i"), ("l_i", "L_i"), ("g_i", "g_i"), ("gi", "g_i")):
            keys.setdefault(spelling, key)
        shares = {key for key in own if re.fullmatch(r"[A-Za-z]+_[a-z]", key)}
        totals = [key for key in dict.fromkeys(own) if key not in shares]
        keys[TOTAL] = totals[0] if shares and len(totals) == 1 else TOTAL  # in n_i/S the total of all n_i is S
        self.names = keys
        self._known: dict[str, bool] = {}

    def knows(self, word: str) -> bool:
        """Whether a word can stand in a formula: a known name, or a few letters run together of which one is Greek."""
        if word not in self._known:
            self._known[word] = len(word) <= MAX_NAME and self._knows(word)
        return self._known[word]

    def _knows(self, word: str) -> bool:
        folded = fold_safely(word)
        if folded in self.names or word in self.names:
            return True
        if folded == word:
            return 1 < len(word) <= 4 and all(letter in self.core for letter in word)
        return all(ch in self.names or fold_safely(ch) in self.names for ch in re.sub(r"_\{?\w+\}?", "", word))

    def read(self, text: str) -> Node | None:
        """The tree of a formula, or None where it has no reading."""
        return _read(text, tuple(self.names.items()))


@lru_cache(maxsize=512)
def _read(text: str, names: tuple[tuple[str, str], ...]) -> Node | None:
    folded = fold_safely(text)
    for attempt in (folded, re.sub(r"(/\s*(?:\d+|[A-Za-z_]\w*)) +(?=[A-Za-z])", r"\1*", folded)):
        try:
            return parse(attempt.strip(), Context(dict(names)))
        except (Unreadable, RecursionError):
            continue
    return None


def fold_safely(text: str) -> str:
    """As the answer engine folds; a character that it refuses stays."""
    try:
        return fold_characters(text)
    except Unreadable:
        return text


def _spellings(key: str) -> list[str]:
    found = [fold_safely(other) for other in _ALSO.get(key, ())]
    if indexed := re.fullmatch(r"([A-Za-z]+)_([a-z])", key):
        base = indexed.group(1)
        found += [f"{base}{mark}{index}" for index in "ijkr" for mark in ("_", "")]
        found += [f"{base}_{{{index}}}" for index in "ijkr"] + ([base] if base.islower() else [])
    elif len(key) == 1:
        found.append(key)
    return found


def is_formula(term: str, letters: Letters) -> bool:
    """Whether a rubric's term is a formula (16Φ/N, N/S) and no word."""
    marked = (
        re.search(r"[\u0370-\u03ff/·×*_]", term) is not None and re.search(r"[A-Za-z\u0370-\u03ff]", term) is not None
    )
    if not marked or not all(letters.knows(word) for word in _NAME.findall(term)):
        return False
    return letters.read(term) is not None


def formulas_in(saying: Saying, letters: Letters, taken: Iterable[Span]) -> list[Found]:
    """Every formula of an answer that says more than one letter or number. `taken` are stretches that hold none (ZeRO-1)."""
    text = list(saying.wide)
    for start, end in taken:
        text[start:end] = "\n" * (end - start)
    found: list[Found] = []
    for run in _runs("".join(text), letters):
        made = _formula(run, letters)
        if made is not None:
            found.append(made)
        if len(found) == MAX_PLACES:
            break
    return found


_Part = tuple[str, str, int, int]


def _runs(text: str, letters: Letters) -> Iterable[list[_Part]]:
    """Stretches of tokens that could be formulas, cut where a word, a sign or a second value begins."""
    run: list[_Part] = []
    seen: set[str] = set()
    for part in _parts(text, letters):
        kind, _, start, _ = part
        if kind == "end" or (run and _breaks(run[-1], part, text)) or (run and start - run[0][2] > MAX_FORMULA):
            if run:
                body = "".join(word for _, word, _, _ in run)
                if len(seen) < MAX_FORMULAS or body in seen:
                    seen.add(body)
                    yield run
            run = []
        if kind != "end":
            run.append(part)


def _parts(text: str, letters: Letters) -> Iterable[_Part]:
    last = 0
    for match in _TOKEN.finditer(text):
        kind, word, at = match.lastgroup or "", match.group(), match.start()
        if at > last:
            yield "end", "", last, at
        last = match.end()
        if kind == "name" and not letters.knows(word):
            yield ("op", "*", at, last) if word in ("x", "X") else ("end", word, at, last)
        elif kind == "wordop":
            yield "op", f" {_WORD_OPS[word]} ", at, last
        elif kind != "space":
            yield kind, "(" if kind == "open" else ")" if kind == "close" else word, at, last
    yield "end", "", last, last


_VALUES = ("number", "name", "close")


def _breaks(before: _Part, part: _Part, text: str) -> bool:
    if part[0] == "number" and before[0] in _VALUES:
        return True
    apart = text[before[3] : part[2]]
    if part[0] == "op" and part[1] == "-" and before[0] in _VALUES:  # a dash between spaces on one side only
        return apart != "" and text[part[3] : part[3] + 1] not in (" ", *"0123456789")
    return "\n" in apart or len(apart) > 3 or (before[0] == "close" and part[0] == "open" and apart != "")


def _formula(run: list[_Part], letters: Letters) -> Found | None:
    run = _trimmed(run)
    if len(run) < 2 and not (run and len(run[0][1]) > 1):
        return None
    if run[0][0] == "op" or run[-1][0] == "op":
        return None  # 2Φ × (something unknown): the whole is not known
    summed = any(kind == "sum" for kind, *_ in run)
    text = "".join(f" {word}" if kind == "name" else word for kind, word, *_ in _without_sums(run))
    node = letters.read(text)
    if node is None or isinstance(node, Num):
        return None
    return Found((run[0][2], run[-1][3]), node, text, summed) if names_in(node) else None


def _without_sums(run: list[_Part]) -> list[_Part]:
    """Without sum signs; where one divides (n_i / Σ n_j), the sum and its name together are the total."""
    out: list[_Part] = []
    divides = False
    for part in run:
        if part[0] == "sum":
            divides = bool(out) and out[-1][1].strip() == "/"
        elif divides and part[0] == "name":
            out.append(("name", TOTAL, part[2], part[3]))
            divides = False
        else:
            divides = divides and part[0] == "open"
            out.append(part)
    return out


def _trimmed(run: list[_Part]) -> list[_Part]:
    """Without brackets that have no partner, and without the sign of a list or a dash at the ends."""
    depth, kept = 0, []
    for part in run:
        if part[0] == "close":
            if depth == 0:
                break
            depth -= 1
        elif part[0] == "open":
            depth += 1
        kept.append(part)
    while depth and kept:
        opened = next((i for i in range(len(kept) - 1, -1, -1) if kept[i][0] == "open"), None)
        if opened is None or opened not in (0, len(kept) - 1):
            break
        kept.pop(opened)
        depth -= 1
    while len(kept) > 2 and kept[0][0] == "open" and kept[-1][0] == "close" and _partner(kept) == len(kept) - 1:
        kept = kept[1:-1]
    while kept and kept[0][0] == "op" and kept[0][1].strip() in "-*•·+":
        kept.pop(0)
    while kept and kept[-1][0] == "op" and kept[-1][1] in ("-", "*", "•"):
        kept.pop()
    return kept


def _partner(run: list[_Part]) -> int:
    """Where the bracket that opens a run closes."""
    depth = 0
    for i, (kind, *_) in enumerate(run):
        depth += (kind == "open") - (kind == "close")
        if depth == 0:
            return i
    return -1


def equals(found: Found, asked: Node) -> bool:
    """Whether a formula is the one asked for in another form; under a sum it may carry further factors (Σ n_i·L_i / S)."""
    extra = names_in(found.node) - names_in(asked)
    node = found.node
    if extra:
        if not found.summed or not all(_is_factor(node, name) for name in extra):
            return False
        node = with_values(node, dict.fromkeys(extra, Fraction(1)))
    return _agree(node, asked) and same(node, asked).equal


def _is_factor(node: Node, name: str) -> bool:
    return same(
        with_values(node, {name: Fraction(2)}), Bin("*", Num(Fraction(2)), with_values(node, {name: Fraction(1)}))
    ).equal


def _agree(left: Node, right: Node) -> bool:
    """A quick look at one point, before the full comparison."""
    try:
        names = names_in(left) | names_in(right)
        point = {name: Fraction(7 + 4 * i + sum(map(ord, name)) % 3) for i, name in enumerate(sorted(names))}
        a, b = float(value_of(left, point)), float(value_of(right, point))
    except (Unreadable, ArithmeticError, ValueError, RecursionError):
        return True
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b)) and sum(1 for _ in walk(left)) < 200
