"""Orders of work of pipeline schedules, and a clock that plays them by nothing but their dependencies.

Times: F forward, B whole backward, W the part of B that gives weight gradients (so B - W gives the input's), as DeepSeek-V3
and DualPipe's tables count them. Communication takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Key = tuple[str, int, int, int]
"""What an operation yields: ("F" or "B", direction, stage, micro-batch)."""


@dataclass(frozen=True, slots=True)
class Op:
    """One stretch of work. `letter`: F, B, W, I (backward for the input only) or X (a forward and a backward at once)."""

    letter: str
    micro: int
    lasts: float
    needs: tuple[Key, ...] = ()
    gives: tuple[Key, ...] = ()
    holds: float = 0.0
    """Activations kept after it, in micro-batches of a whole rank's layers: + when made, - when no longer needed."""


@dataclass(frozen=True, slots=True)
class Times:
    """F, B and W of one micro-batch through all layers of one rank."""

    f: float
    b: float
    w: float


@dataclass(frozen=True, slots=True)
class Placed:
    """When an operation ran."""

    op: Op
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Played:
    """A schedule as it ran; `stuck` when operations waited for each other for ever."""

    ranks: tuple[tuple[Placed, ...], ...]
    stuck: bool

    @property
    def span(self) -> float:
        """From the first start to the last end."""
        return max((one.end for rank in self.ranks for one in rank), default=0.0)

    @property
    def bubbles(self) -> list[float]:
        """Idle time of each rank within the span."""
        return [self.span - sum(one.end - one.start for one in rank) for rank in self.ranks]

    @property
    def in_flight(self) -> list[float]:
        """The most micro-batches of activations each rank held at once."""
        peaks = []
        for rank in self.ranks:
            held = peak = 0.0
            for one in rank:
                held += one.op.holds
                peak = max(peak, held)
            peaks.append(peak)
        return peaks


Order = Sequence[Sequence[Op]]


def play(order: Order) -> Played:
    """Each rank does its operations in order, each as soon as the rank is free and all it needs is there."""
    ready: dict[Key, float] = {}
    done: list[list[Placed]] = [[] for _ in order]
    moved = True
    while moved:
        moved = False
        for rank, ops in enumerate(order):
            while len(done[rank]) < len(ops):
                op = ops[len(done[rank])]
                if any(key not in ready for key in op.needs):
                    break
                start = max([done[rank][-1].end if done[rank] else 0.0, *(ready[key] for key in op.needs)])
                done[rank].append(Placed(op, start, start + op.lasts))
                ready.update((key, start + op.lasts) for key in op.gives)
                moved = True
    stuck = any(len(d) < len(ops) for d, ops in zip(done, order, strict=True))
    return Played(tuple(tuple(rank) for rank in done), stuck)


# ---- one direction --------------------------------------------------------------------------------------------------


def forward(stage: int, micro: int, lasts: float, part: float = 1.0, way: int = 0) -> Op:
    """A forward; it needs the stage before."""
    needs: tuple[Key, ...] = (("F", way, stage - 1, micro),) if stage else ()
    return Op("F", micro, lasts, needs, (("F", way, stage, micro),), part)


def backward(stage: int, last: int, micro: int, lasts: float, part: float = 1.0, way: int = 0, letter: str = "B") -> Op:
    """A backward; it needs the stage after, or at the last stage its own forward. `I` leaves the activations held."""
    needs: Key = ("F", way, stage, micro) if stage == last else ("B", way, stage + 1, micro)
    return Op(
        letter,
        micro,
        lasts,
        (needs, ("F", way, stage, micro)),
        (("B", way, stage, micro),),
        0 if letter == "I" else -part,
    )


def gpipe(p: int, m: int, times: Times) -> Order:
    """All forwards, then all backwards (Huang et al. 2019)."""
    return [
        [forward(r, j, times.f) for j in range(m)] + [backward(r, p - 1, j, times.b) for j in range(m)]
        for r in range(p)
    ]


def one_f_one_b(p: int, m: int, times: Times) -> Order:
    """As many forwards as there are stages after this one, then one forward and one backward in turn."""
    return [
        [
            forward(r, j, times.f) if is_forward else backward(r, p - 1, j, times.b)
            for is_forward, j in _in_turn(m, min(p - 1 - r, m))
        ]
        for r in range(p)
    ]


def _in_turn(m: int, warm: int) -> list[tuple[bool, int]]:
    """(is a forward, number) of m forwards and m backwards: `warm` forwards, then pairs, then backwards."""
    order = [(True, j) for j in range(warm)]
    for j in range(m - warm):
        order += [(True, warm + j), (False, j)]
    return order + [(False, j) for j in range(m - warm, m)]


def interleaved(p: int, m: int, times: Times, v: int) -> Order:
    """1F1B over v chunks of layers a rank (Narayanan et al. 2021): chunk c of rank r is stage c p + r; m divides by p."""
    total, last = m * v, p * v - 1

    def chunk_and_micro(k: int, is_forward: bool) -> tuple[int, int]:
        group, within = divmod(k, p * v)
        chunk, place = divmod(within, p)
        return (chunk if is_forward else v - 1 - chunk), group * p + place

    order = []
    for r in range(p):
        warm = min(total, (p - r - 1) * 2 + (v - 1) * p)
        ops = []
        for is_forward, k in _in_turn(total, warm):
            chunk, micro = chunk_and_micro(k, is_forward)
            stage = chunk * p + r
            if is_forward:
                ops.append(forward(stage, micro, times.f / v, 1 / v))
            else:
                ops.append(backward(stage, last, micro, times.b / v, 1 / v))
        order.append(ops)
    return order


def zero_bubble(p: int, m: int, times: Times) -> Order:
    """ZB-H1 (Qi et al. 2023), "ZB1P" in DeepSeek's table: 1F1B with B split, W of rank r put off by r backwards.

    No rank holds more than 1F1B's first does.
    """
    order = []
    for r in range(p):
        ops, waiting = [], []
        for is_forward, j in _in_turn(m, min(p - 1 - r, m)):
            if is_forward:
                ops.append(forward(r, j, times.f))
                continue
            ops.append(backward(r, p - 1, j, times.b - times.w, letter="I"))
            waiting.append(j)
            if len(waiting) > r:
                ops.append(Op("W", waiting.pop(0), times.w, holds=-1))
        ops += [Op("W", j, times.w, holds=-1) for j in waiting]
        order.append(ops)
    return order


# ---- two directions -------------------------------------------------------------------------------------------------


class _Rank:
    """One rank of DualPipe while its order is written down; phase 0 is the direction that starts at its own end."""

    def __init__(self, r: int, p: int, times: Times, both: float) -> None:
        self.r, self.p, self.times, self.both = r, p, times, both
        self.ops: list[Op] = []
        self.counts = {"F": [0, 0], "B": [0, 0]}
        self.waiting: list[int] = []

    def _way(self, phase: int) -> int:
        return phase ^ (self.r >= self.p // 2)

    def _next(self, letter: str, phase: int) -> tuple[int, int, int]:
        way = self._way(phase)
        micro = self.counts[letter][way]
        self.counts[letter][way] += 1
        return way, (self.r if way == 0 else self.p - 1 - self.r), micro

    def f(self, phase: int) -> None:
        way, stage, micro = self._next("F", phase)
        self.ops.append(forward(stage, micro, self.times.f, way=way))

    def b(self, phase: int, *, split: bool = False) -> None:
        way, stage, micro = self._next("B", phase)
        if split:
            self.ops.append(backward(stage, self.p - 1, micro, self.times.b - self.times.w, way=way, letter="I"))
            self.waiting.append(micro)
        else:
            self.ops.append(backward(stage, self.p - 1, micro, self.times.b, way=way))

    def w(self) -> None:
        self.ops.append(Op("W", self.waiting.pop(0), self.times.w, holds=-1))

    def fb(self, f_phase: int, b_phase: int) -> None:
        """A forward and a backward at once; both results are there at the end."""
        way, stage, micro = self._next("F", f_phase)
        fore = forward(stage, micro, 0, way=way)
        way, stage, micro = self._next("B", b_phase)
        back = backward(stage, self.p - 1, micro, 0, way=way)
        self.ops.append(Op("X", micro, self.both, fore.needs + back.needs, fore.gives + back.gives))


def dual_pipe(p: int, m: int, times: Times, both: float) -> Order:
    """DualPipe (DeepSeek-V3 report, section 3.2.1), in the order of operations of its published eight steps.

    p and m even, m at least 2p; each direction carries m/2 micro-batches; `both` is the time F&B of a joined pair.
    """
    return [_dual_rank(_Rank(r, p, times, both), m // 2) for r in range(p)]


def _dual_rank(rank: _Rank, half_micro: int) -> list[Op]:
    half, near = rank.p // 2, min(rank.r, rank.p - 1 - rank.r)
    outer = half - near - 1
    for _ in range(2 * outer):
        rank.f(0)
    for _ in range(near + 1):
        rank.f(0)
        rank.f(1)
    for _ in range(outer):
        rank.b(1, split=True)
        rank.w()
        rank.f(1)
    for i in range(half_micro - rank.p + near + 1):
        if i == 0 and outer == 0:  # the two middle ranks hold both ends of a pair: nothing to join yet
            rank.f(0)
            rank.b(1)
        else:
            rank.fb(0, 1)
        rank.fb(1, 0)
    for _ in range(outer):
        rank.b(1)
        rank.fb(1, 0)
    split = False
    for i in range(near + 1):
        split = split or (i == (near + 1) // 2 and near % 2 == 1)
        rank.b(1, split=split)
        split = split or (i == (near + 1) // 2 and near % 2 == 0)
        rank.b(0, split=split)
    for _ in range(outer):
        rank.w()
        rank.b(0, split=True)
    for _ in range(near + 1):
        rank.w()
    return rank.ops


Maker = Callable[[int, int, Times], Order]
