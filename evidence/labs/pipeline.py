"""pipeline: GPipe, 1F1B, interleaved, zero-bubble and DualPipe played by their dependencies; bubbles and activations counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Recorded, Tolerance, Values, recorded
from evidence.lab_params import number, whole
from evidence.labs import schedules
from evidence.labs.schedules import Order, Played, Times, play
from evidence.picture import NARROW, WIDE, Frame, Picture, cut

TOLERANCE = 1e-9
UNIT = Times(1.0, 2.0, 1.0)
"""F = 1, B = 2, W = 1: with a joined pair of F + B, the times for which DualPipe's closed form holds on every rank."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The orders that are played; a test exchanges one of them."""

    gpipe: Callable[[int, int, Times], Order] = schedules.gpipe
    one_f_one_b: Callable[[int, int, Times], Order] = schedules.one_f_one_b
    interleaved: Callable[[int, int, Times, int], Order] = schedules.interleaved
    zero_bubble: Callable[[int, int, Times], Order] = schedules.zero_bubble
    dual_pipe: Callable[[int, int, Times, float], Order] = schedules.dual_pipe


def matches(run: Played, bubble: float) -> bool:
    """Every rank idled for as long as the closed form says."""
    return not run.stuck and all(abs(one - bubble) <= TOLERANCE * max(1.0, run.span) for one in run.bubbles)


EQUAL = Tolerance(
    TOLERANCE,
    "relative",
    Text(
        "Idle time of every rank within 1e-9 of the span.",
        "每个 rank 的空闲时间与公式之差不超过总时长的 1e-9。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """Play all five. Nothing is drawn, so the seed changes nothing."""
    del seed
    p, m, v = whole(values, "p"), whole(values, "m"), whole(values, "v")
    times = Times(number(values, "f"), number(values, "i") + number(values, "w"), number(values, "w"))
    whole_m = -(-m // p) * p
    even_p = p + p % 2
    even_m = max(2 * even_p, m + m % 2)
    split = times if times.w <= min(times.f, times.b - times.w) else UNIT
    plays: dict[str, Callable[[], Order]] = {
        "gpipe": lambda: parts.gpipe(p, m, times),
        "1f1b": lambda: parts.one_f_one_b(p, m, times),
        "interleaved": lambda: parts.interleaved(p, whole_m, times, v),
        "zero_bubble": lambda: parts.zero_bubble(p, max(p, m), split),
        "dualpipe": lambda: parts.dual_pipe(even_p, even_m, UNIT, UNIT.f + UNIT.b),
    }
    runs: dict[str, Played] = {}
    for done, (name, order) in enumerate(plays.items(), start=1):
        runs[name] = play(order())
        progress(0.18 * done, f"{done}/5")
    metrics = _metrics(runs, p, m, v, times, split)
    found: dict[str, Recorded] = {
        "interleaved_m": recorded(whole_m, "micro-batches"),
        "zero_bubble_m": recorded(max(p, m), "micro-batches"),
        "zero_bubble_times": recorded([split.f, split.b, split.w], "F,B,W"),
        "dualpipe_p": recorded(even_p, "ranks"),
        "dualpipe_m": recorded(even_m, "micro-batches"),
        "dualpipe_times": recorded([UNIT.f, UNIT.b, UNIT.w, UNIT.f + UNIT.b], "F,B,W,F&B"),
    }
    for name, run in runs.items():
        found |= _numbers(name, run)
    return Findings(
        metrics,
        found,
        EQUAL,
        Picture(tuple(_frame(name, run) for name, run in runs.items())),
    )


def _metrics(
    runs: Mapping[str, Played], p: int, m: int, v: int, times: Times, split: Times
) -> dict[str, bool | int | float]:
    idle = (p - 1) * (times.f + times.b)
    held = {name: max(run.in_flight) for name, run in runs.items()}
    return {
        "gpipe_bubble_matches": matches(runs["gpipe"], idle),
        "one_f_one_b_bubble_matches": matches(runs["1f1b"], idle),
        "interleaved_bubble_matches": matches(runs["interleaved"], idle / v),
        "zero_bubble_matches": matches(runs["zero_bubble"], (p - 1) * (split.f + split.b - 2 * split.w)),
        "dualpipe_bubble_matches": matches(runs["dualpipe"], ((p + 1) // 2 - 1) * (UNIT.f + 2 * UNIT.b - 3 * UNIT.w)),
        "in_flight_matches": held["gpipe"] == m
        and held["1f1b"] == min(p, m)
        and held["zero_bubble"] == p
        and held["dualpipe"] == p + p % 2 + 1,
        "every_micro_batch_done": all(_complete(run) for run in runs.values()),
    }


def _numbers(name: str, run: Played) -> dict[str, Recorded]:
    bubble, span = max(run.bubbles), max(run.span, TOLERANCE)
    return {
        f"{name}_bubble": recorded(bubble, "time units"),
        f"{name}_share_of_wall_clock": recorded(bubble / span, "share"),
        f"{name}_share_of_work": recorded(bubble / max(span - bubble, TOLERANCE), "share"),
        f"{name}_in_flight": recorded(max(run.in_flight), "micro-batches"),
    }


def _complete(run: Played) -> bool:
    """Each stage did each micro-batch's forward and backward exactly once, and freed what it held."""
    if run.stuck:
        return False
    for rank in run.ranks:
        given = [key for one in rank for key in one.op.gives]
        backs = {key[1:] for key in given if key[0] == "B"}
        fores = {key[1:] for key in given if key[0] == "F"}
        if len(set(given)) != len(given) or backs != fores or abs(sum(one.op.holds for one in rank)) > TOLERANCE:
            return False
    return True


def _frame(name: str, run: Played) -> Frame:
    share = max(run.bubbles) / run.span if run.span else 0.0
    title = f"{name}  {max(run.bubbles):g}/{run.span:g} = {share:.1%}"
    rows = [[title], [title]]
    for place, width in enumerate((WIDE, NARROW)):
        rows[place] += [f"{rank:>2} {_line(run, rank, width - 3)}" for rank in range(len(run.ranks))]
    return Frame(tuple(cut(line, WIDE) for line in rows[0]), tuple(cut(line, NARROW) for line in rows[1]))


def _line(run: Played, rank: int, width: int) -> str:
    """A rank's time line: letters of the operations and, where there is room, numbers of the micro-batches; `·` is idle."""
    if run.span <= 0:
        return ""
    scale = max(1.0, float(int(width / run.span))) if run.span <= width else width / run.span
    cells = ["·"] * min(width, round(run.span * scale))
    for one in run.ranks[rank]:
        start, end = round(one.start * scale), round(one.end * scale)
        text = f"{one.op.letter}{one.op.micro}"
        for place in range(start, min(end, len(cells))):
            offset = place - start
            fits = offset < len(text) <= end - start
            cells[place] = text[offset] if fits else one.op.letter if offset == 0 or end - start < 2 else "─"
    return "".join(cells)


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """Stages p (pp), micro-batches m, chunks v; times F, W and B (whole backward) where a drill gives all three."""
    wished: dict[str, float | str | tuple[float, ...]] = {}
    for key, names in {"p": ("p", "pp"), "m": ("m",), "v": ("v",)}.items():
        for name in names:
            if name in drill:
                wished[key] = drill[name]
                break
    if {"f", "b"} <= drill.keys() and drill["f"] > 0:
        back, weight = drill["b"] / drill["f"], drill.get("w", drill["b"] / 2) / drill["f"]
        if 0 < weight < back:
            wished |= {"f": 1.0, "i": back - weight, "w": weight}
    return wished


LAB = Lab(
    id="pipeline",
    version=1,
    title=Text("Pipeline schedules and their bubbles", "流水线调度与气泡"),
    about=Text(
        "Each rank does its operations in the schedule's order, each as soon as what it needs is there; communication takes no"
        " time. Idle time and held activations are counted. B is the whole backward, I its input part, W its weight part. The"
        " interleaved schedule takes m up to a multiple of p; the zero-bubble one at least p, and the times 1, 2, 1 where W is"
        " longer than F or I; DualPipe always F=1, B=2, W=1, F&B=3 with even p and m of at least 2p. There"
        " the closed forms hold.",
        "每个 rank 按调度次序执行，所需数据一到就开始；通信不计时间。统计空闲时间和同时保存的激活。"
        "B 为完整反向，I 为对输入的部分，W 为对权重的部分。交错调度把 m 向上取到 p 的倍数；"
        "零气泡调度的 m 不小于 p，W 比 F 或 I 长时改用 1、2、1；"
        "DualPipe 总用 F=1、B=2、W=1、F&B=3，p 取偶、m 不小于 2p；闭式公式在这些条件下成立。",
    ),
    params=(
        LabParam("p", Text("Pipeline ranks p", "流水线级数 p"), "int", 4, 2, 32),
        LabParam("m", Text("Micro-batches m", "micro-batch 数 m"), "int", 8, 1, 128),
        LabParam("v", Text("Chunks a rank v (interleaved)", "每 rank 的块数 v（交错）"), "int", 2, 1, 4),
        LabParam("f", Text("Time of F", "F 的时间"), "float", 1.0, 0.01, 100.0),
        LabParam("i", Text("Time of the backward's input part", "反向中对输入部分的时间"), "float", 1.0, 0.01, 100.0),
        LabParam(
            "w", Text("Time of the backward's weight part W", "反向中对权重部分 W 的时间"), "float", 1.0, 0.01, 100.0
        ),
    ),
    metrics=(
        MetricSpec("gpipe_bubble_matches", Text("GPipe idles (p-1)(F+B)", "GPipe 空闲 (p-1)(F+B)")),
        MetricSpec("one_f_one_b_bubble_matches", Text("1F1B idles as much", "1F1B 空闲相同")),
        MetricSpec("interleaved_bubble_matches", Text("Interleaved idles (p-1)(F+B)/v", "交错调度空闲 (p-1)(F+B)/v")),
        MetricSpec(
            "zero_bubble_matches", Text("Zero-bubble (ZB1P) idles (p-1)(F+B-2W)", "零气泡（ZB1P）空闲 (p-1)(F+B-2W)")
        ),
        MetricSpec(
            "dualpipe_bubble_matches", Text("DualPipe idles (p/2-1)(F&B+B-3W)", "DualPipe 空闲 (p/2-1)(F&B+B-3W)")
        ),
        MetricSpec(
            "in_flight_matches",
            Text(
                "Held: GPipe m, 1F1B min(p, m), ZB1P p, DualPipe p+1",
                "激活：GPipe m，1F1B min(p, m)，ZB1P p，DualPipe p+1",
            ),
        ),
        MetricSpec("every_micro_batch_done", Text("Every micro-batch done once", "每个 micro-batch 恰好完成一次")),
    ),
    simulate=simulate,
    wish=wish,
    largest={"p": 32, "m": 128, "v": 4},
)
