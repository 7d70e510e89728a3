"""What a verdict says to the learner, in words. `grading` knows codes only; here each has its sentence."""

from __future__ import annotations

from fractions import Fraction

from grading.answer import Asked, Reading, Reason, Rival, Verdict, read
from grading.drill import Drill, Problem
from grading.evaluate import Scalar
from grading.explain import explain, formula_text
from grading.expr import names_in
from grading.reading import Trouble, Unreadable
from grading.shown import exact_text, number_text, quantity_text, with_symbol
from grading.units import SHOWN, Unit
from tui.words import N_, _, current

REASONS: dict[Reason, str] = {
    Reason.CORRECT: N_("Right."),
    Reason.MISTAKE: N_("Not quite."),
    Reason.CONVENTION: N_("Right by another convention; this one was asked:"),
    Reason.UNIT: N_("The unit does not fit what was asked."),
    Reason.IMPRECISE: N_("Close, but outside the tolerance."),
    Reason.WRONG: N_("Not right."),
    Reason.UNREADABLE: N_("Could not read that."),
    Reason.FORMULA: N_("The formula is right; now type the number."),
}

SURENESS: dict[str, str] = {"sure": N_("sure"), "unsure": N_("unsure")}

TROUBLES: dict[Trouble, str] = {
    Trouble.EMPTY: N_("Type a number, for example 48.75 GB."),
    Trouble.TOO_LONG: N_("That is too long: at most {detail} characters or parts."),
    Trouble.TOO_DEEP: N_("Too many brackets inside one another: write it flatter."),
    Trouble.CHARACTER: N_("The character {detail} has no place in an answer."),
    Trouble.HAN_DIGITS: N_("Type figures, for example 7e9, 7B or 70亿, instead of {detail}."),
    Trouble.BAD_GROUPS: N_("{detail} is not grouped in threes: write 16,000 or 16000."),
    Trouble.TWO_POINTS: N_("{detail} has two decimal points."),
    Trouble.TWO_VALUES: N_("Give one value: a second one begins at {detail}"),
    Trouble.TWO_READINGS: N_("{detail} can be read in two ways: write * or brackets."),
    Trouble.FACTORIAL: N_("{detail} is a factorial, which is not worked out here."),
    Trouble.NOT_FINITE: N_("That is no finite number of a sensible size."),
    Trouble.NOT_REAL: N_("That has no real value."),
    Trouble.DIVISION_BY_ZERO: N_("That divides by zero."),
    Trouble.UNKNOWN_WORD: N_("{detail} is not a number, unit or function."),
    Trouble.UNKNOWN_NAME: N_("{detail} is not a symbol of this problem."),
    Trouble.UNKNOWN_UNIT: N_("The unit {detail} is not known. Known are: {known}"),
    Trouble.UNIT_ALONE: N_("{detail} is a unit alone: write the number before it."),
    Trouble.MIXED_UNITS: N_("Different units are added there: bring them to one."),
    Trouble.BITS_OR_BYTES: N_("{detail}: bits or bytes? Write Gbit or GB."),
    Trouble.BYTES_OR_BILLIONS: N_("B: bytes or billions? Write GB, or 1e9."),
    Trouble.UNEXPECTED: N_("{detail} is out of place there."),
    Trouble.UNFINISHED: N_("Something is missing at the end."),
    Trouble.BRACKET: N_("A bracket is missing."),
    Trouble.ARGUMENTS: N_("{detail} takes one value."),
}

GENERAL: dict[str, str] = {
    "gib-for-gb": N_("you divided by 2^30: that is the value in GiB, and GB (1e9 bytes) was asked"),
    "gb-for-gib": N_("that is the value in GB (1e9 bytes), and GiB (2^30) was asked"),
    "bits-for-bytes": N_("you counted bits where bytes were asked: a factor of 8"),
    "bytes-for-bits": N_("you counted bytes where bits were asked: a factor of 8"),
    "power-of-1000": N_("the figures are right, the magnitude is off by a power of 1000"),
    "hundredfold": N_("a factor of 100: percent or fraction?"),
    "total-for-per-card": N_("that is the total of all cards; one card's share was asked"),
    "off-by-one": N_("one off: round up or down as the question says"),
}

NOTES: dict[str, str] = {
    "read-as-bytes": N_("read as bytes (B); bits are written b or bit"),
    "fraction-for-percentage": N_("read as the percentage; asked was %"),
    "approximately": N_("read without the word for about"),
    "equals": N_("read without what stood before the equals sign"),
    "per-card": N_("for one card, as asked"),
}


def trouble_text(trouble: Unreadable) -> str:
    """One sentence that says why an answer could not be read."""
    return _(TROUBLES[trouble.code]).format(detail=trouble.detail, known=SHOWN)


def reading_text(reading: Reading, asked: Asked) -> str:
    """The line under the field: the very value that will be graded, in the asked unit and as typed where that differs."""
    value = _exactly(reading.value, asked.unit)
    if reading.unit.dimension != asked.unit.dimension:
        return _("read as {value}").format(value=_exactly(reading.value, reading.unit))
    if reading.has_unit and reading.unit.factor != asked.unit.factor:
        typed, value = _exactly(reading.value, reading.unit), quantity_text(reading.value, asked.unit, 6)
        return _("read as {typed} = {value}").format(typed=typed, value=value)
    return _("read as {value}").format(value=value)


def _exactly(value: Scalar, unit: Unit) -> str:
    return with_symbol(exact_text(Fraction(value) / unit.factor), unit.symbol)


def reading_line(typed: str, problem: Problem) -> str:
    """The live line: how the typed answer would be graded now, and how sure it says it is; empty where it has no reading.

    A formula with the problem's symbols is shown as it was understood, without its value: working it out is the task.
    """
    try:
        reading = read(typed, problem.asked)
    except (Unreadable, RecursionError):
        return ""
    if names_in(reading.node):
        line = _("read as the formula {formula}").format(formula=formula_text(reading.node, problem.drill))
    else:
        line = reading_text(reading, problem.asked)
    for note, name in SURENESS.items():
        if note in reading.notes:
            line = _("{reading}, {how_sure}").format(reading=line, how_sure=_(name))
    return line


def unreadable_line(typed: str, problem: Problem) -> str:
    """Why what is typed has no reading; empty where it has one, or where nothing is typed yet."""
    if not typed.strip():
        return ""
    try:
        read(typed, problem.asked)
    except Unreadable as trouble:
        return trouble_text(trouble)
    except RecursionError:
        return trouble_text(Unreadable(Trouble.TOO_DEEP))
    return ""


def tolerance_text(asked: Asked) -> str:
    """How near is right, as it stands behind the convention."""
    tolerance = asked.tolerance
    if tolerance.kind == "exact":
        return _("The exact number.")
    if tolerance.kind == "absolute":
        return _("Within ±{amount}.").format(amount=quantity_text(tolerance.amount, asked.unit))
    return _("Within ±{share} %.").format(share=number_text(tolerance.amount * 100))


def note_texts(verdict: Verdict) -> list[str]:
    """The notes that go with a verdict, each a short phrase."""
    return [_(NOTES[note]) for note in verdict.notes if note in NOTES]


def rival_text(rival: Rival, drill: Drill | None) -> str:
    """What a wrong value comes from: the drill's own words, or a general mistake's."""
    if rival.kind == "general":
        return _(GENERAL[rival.id])
    known = (*drill.mistakes, *drill.conventions) if drill is not None else ()
    return next((named.texts[current()] for named in known if named.id == rival.id), rival.id)


def reason_text(verdict: Verdict) -> str:
    """The first line of a verdict."""
    return _(REASONS[verdict.reason])


def verdict_lines(verdict: Verdict, problem: Problem | None) -> list[str]:
    """A whole verdict, line by line: the reading, what it is worth, where a wrong value comes from, what was asked."""
    lines = [] if verdict.reading is None else [reading_text(verdict.reading, verdict.asked)]
    lines.append(reason_text(verdict))
    if verdict.trouble is not None:
        return [*lines, trouble_text(verdict.trouble)]
    explained = explain(verdict, problem) if problem is not None else ()
    wrong_sides = {one.rival: one.wrong for one in explained}
    for number, rival in enumerate(verdict.found):
        side = wrong_sides.get(rival)
        lines += [_("or") if number else "", side.line if side is not None else ""]
        lines.append(rival_text(rival, problem.drill if problem is not None else None))
    lines += [f"({note})" for note in note_texts(verdict)]
    if verdict.reason not in (Reason.CORRECT, Reason.FORMULA):
        right = explained[0].right.line if explained and problem is not None and problem.unknown is None else ""
        expected = right or quantity_text(verdict.asked.value, verdict.asked.unit, 6)
        lines.append(_("asked was {expected}").format(expected=expected))
    return [line for line in lines if line]


def dispute_kept(*, rated: bool) -> str:
    """What becomes of a dispute: stored with its answer, which in Review is only once that is `rated`."""
    if rated:
        return _("Kept with this answer; shardrill drills --disputed lists it.")
    return _("Kept once you rate this answer; then shardrill drills --disputed lists it.")
