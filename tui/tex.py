"""TeX formulas of learners' own cards, made readable in a terminal.

`$...$`, `$$...$$`, `\\(...\\)` and `\\[...\\]` become Unicode where there is a plain form, with brackets and the
order of operations kept: `\\frac{a+b}{2}` is `(a+b)/2`. A command that is not known stays as it was typed, so nothing
is lost; the raw text is one key away on the review screen. This is a converter of text, never an evaluator.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(
    r"\$\$(?P<display>.+?)\$\$"
    r"|(?<![\\$\w])\$(?P<inline>[^\s$](?:[^$\n]*?[^\s$\\])?)\$(?!\d)"
    r"|\\\((?P<paren>.+?)\\\)"
    r"|\\\[(?P<bracket>.+?)\\\]",
    re.DOTALL,
)

_NAMED = """
alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ
tau τ upsilon υ phi φ chi χ psi ψ omega ω varepsilon ε varphi φ vartheta ϑ ell ℓ hbar ħ
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
times × cdot · div ÷ pm ± mp ∓ ast * star * le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ~ ll ≪ gg ≫
propto ∝ infty ∞ partial ∂ nabla ∇ sum ∑ prod ∏ int ∫ in ∈ notin ∉ subset ⊂ subseteq ⊆ cup ∪ cap ∩ emptyset ∅
forall ∀ exists ∃ neg ¬ land ∧ lor ∨ to → rightarrow → leftarrow ← Rightarrow ⇒ Leftarrow ⇐ leftrightarrow ↔ mapsto ↦
ldots … cdots … dots … lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ langle ⟨ rangle ⟩ mid | vert | Vert ‖ oplus ⊕ otimes ⊗
prime ′ degree ° log log ln ln exp exp min min max max sin sin cos cos tan tan arg arg softmax softmax lim lim
"""
_WORDS = _NAMED.split()
_SYMBOLS = {**dict(zip(_WORDS[::2], _WORDS[1::2], strict=True)), "quad": "  ", "qquad": "    "}
_SPACES = {",": " ", ";": " ", ":": " ", "!": "", " ": " ", "\\": "; "}
_DROPPED = frozenset({"left", "right", "big", "Big", "bigl", "bigr", "displaystyle", "limits", "nolimits"})
_TRANSPARENT = frozenset(
    {"text", "mathrm", "mathbf", "mathit", "mathcal", "mathbb", "operatorname", "textbf", "boldsymbol"}
)
_SUPER = str.maketrans("0123456789+-=()niT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ")
_SUB = str.maketrans("0123456789+-=()aeijoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₒₚᵣₛₜᵤᵥₓ")
_MAX_DEPTH = 20
_MAX_FORMULA = 2000  # characters; longer ones are shown as typed


def has_tex(text: str) -> bool:
    """Whether `readable` would change anything."""
    return _FORMULA.search(text) is not None


def readable(text: str) -> str:
    """Return `text` with its formulas in readable Unicode; text outside formulas is untouched."""

    def formula(match: re.Match[str]) -> str:
        body = next(group for group in match.groups() if group is not None)
        if len(body) > _MAX_FORMULA:
            return match.group()
        try:
            return _Reader(body).read_all().strip()
        except RecursionError:
            return match.group()

    return _FORMULA.sub(formula, text)


class _Reader:
    """A cursor over one formula."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.depth = 0

    def read_all(self) -> str:
        pieces: list[str] = []
        while self.at < len(self.source):
            pieces.append(self.item())
        return re.sub(r" {2,}", " ", "".join(pieces).replace("\n", " "))

    def item(self) -> str:
        """One token with what belongs to it."""
        character = self.source[self.at]
        if character == "\\":
            return self.command()
        if character == "{":
            inner = self.group()
            return _atom(inner) if self.source[self.at : self.at + 1] == "^" else inner
        self.at += 1
        if character in "^_":
            return self.script(character)
        return " " if character in "~&" else "-" if character == "−" else character if character != "}" else ""

    def group(self) -> str:
        """`{...}`: its content without the braces."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise RecursionError
        self.at += 1
        pieces: list[str] = []
        while self.at < len(self.source) and self.source[self.at] != "}":
            pieces.append(self.item())
        self.at += 1
        self.depth -= 1
        return "".join(pieces)

    def argument(self) -> str:
        while self.at < len(self.source) and self.source[self.at] == " ":
            self.at += 1
        if self.at >= len(self.source):
            return ""
        return self.group() if self.source[self.at] == "{" else self.item()

    def command(self) -> str:
        match = re.compile(r"\\([A-Za-z]+\*?|.)", re.DOTALL).match(self.source, self.at)
        if match is None:
            self.at += 1
            return "\\"
        self.at = match.end()
        name = match.group(1)
        if name in ("frac", "dfrac", "tfrac"):
            fraction = f"{_atom(self.argument())}/{_atom(self.argument())}"
            return f"({fraction})" if self.is_operand_next() else fraction
        if name == "sqrt":
            return "√" + _atom(self.argument())
        if name in _TRANSPARENT:
            return self.argument()
        if name in ("begin", "end"):
            self.argument()
            return {"begin": "[", "end": "]"}[name]
        return self.symbol(name)

    def symbol(self, name: str) -> str:
        if name in _SYMBOLS:
            return _SYMBOLS[name]
        if name in _DROPPED:
            return ""
        if name in _SPACES:
            return _SPACES[name]
        if len(name) == 1:
            return name
        return f"\\{name}{{{self.group()}}}" if self.source[self.at : self.at + 1] == "{" else f"\\{name}"

    def is_operand_next(self) -> bool:
        """Whether what follows would be drawn into a fraction written on one line."""
        rest = self.source[self.at :].lstrip(" ")
        return rest[:1].isalnum() or rest[:1] in ("^", "_", "(", "{") or rest.startswith(("\\frac", "\\sqrt"))

    def script(self, mark: str) -> str:
        body = self.argument()
        table = _SUPER if mark == "^" else _SUB
        if body and all(ord(character) in table for character in body):
            return body.translate(table)
        return f"{mark}{body}" if len(body) <= 1 else f"{mark}({body})"


def _atom(text: str) -> str:
    """Bracket what a fraction bar or a root held together."""
    text = text.strip()
    simple = re.fullmatch(r"[\w.∞⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]*", text) is not None
    return text if simple or re.fullmatch(r"\([^()]*\)", text) else f"({text})"
