"""zero-sharding: DDP and ZeRO-1, 2, 3 with AdamW on N cards, against one unsharded card; bytes and traffic counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Recorded, Tolerance, Values, recorded
from evidence.lab_params import whole
from evidence.labs.collectives import RULES, Meter, Rules, all_gather, all_reduce, reduce_scatter
from evidence.labs.draw import F32
from evidence.labs.zero_model import F16, WIDTH, Adam, Sizes, Task, Update, adamw, forward_backward, unsharded
from evidence.labs.zero_model import to_grid as on_grid
from evidence.picture import DENSE, FULL, LIGHT, NARROW, WIDE, Frame, Picture, bars, cut, si

STAGES = ("ddp", "zero1", "zero2", "zero3")


@dataclass(frozen=True, slots=True)
class Layout:
    """What a stage keeps only 1/N of on each card."""

    optimizer: bool
    gradients: bool
    weights: bool


def layout_of(stage: int) -> Layout:
    """ZeRO's definition (Rajbhandari et al. 2019, section 5): stage 1 shards the optimizer, 2 gradients too, 3 all."""
    return Layout(stage >= 1, stage >= 2, stage >= 3)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lab proves; a test exchanges one of them."""

    layout: Callable[[int], Layout] = layout_of
    update: Update = adamw
    ring: Rules = RULES


@dataclass(slots=True)
class Cards:
    """Everything that N cards keep, row r of each array being card r's, and what they have sent."""

    sizes: Sizes
    layout: Layout
    weights: list[F16]
    gradients: list[F16]
    states: list[Adam]
    meter: Meter = field(init=False)
    passing: int = 0
    """Most bytes a card held for a moment: a layer put together, or its gradients before they were scattered."""

    def __post_init__(self) -> None:
        self.meter = Meter(self.sizes.cards)

    @classmethod
    def made(cls, task: Task, layout: Layout) -> Cards:
        """All cards before the first step: [cards, chunks, chunk] where whole, [cards, chunk] where sharded."""
        sizes = task.sizes
        n, chunk = sizes.cards, sizes.chunk
        layers = [one.reshape(n, chunk) for one in task.first]

        def held(layer: F16, is_sharded: bool) -> F16:
            return layer.copy() if is_sharded else np.repeat(layer[np.newaxis], n, axis=0)

        return cls(
            sizes,
            layout,
            [held(layer, layout.weights) for layer in layers],
            [np.zeros_like(held(layer, layout.gradients)) for layer in layers],
            [Adam.of(held(layer, layout.optimizer)) for layer in layers],
        )

    def bytes_of(self, card: int) -> dict[str, int]:
        """Bytes of the arrays that one card keeps."""
        return {
            "weights": sum(one[card].nbytes for one in self.weights),
            "gradients": sum(one[card].nbytes for one in self.gradients),
            "optimizer": sum(one[card].nbytes for s in self.states for one in (s.master, s.m, s.v)),
        }

    def layer(self, layer: int, rules: Rules) -> F16:
        """A layer's weights on every card; where they are sharded they are gathered now, and kept by nobody."""
        n = self.sizes.cards
        if not self.layout.weights:
            return self.weights[layer].reshape(n, WIDTH, self.sizes.inner)
        gathered = np.zeros((n, n, self.sizes.chunk), dtype=np.float16)
        gathered[np.arange(n), np.arange(n)] = self.weights[layer]
        all_gather(gathered, self.meter, rules)
        self.passing = max(self.passing, gathered[0].nbytes)
        return gathered.reshape(n, WIDTH, self.sizes.inner)

    def take(self, layer: int, gradient: F16, rules: Rules) -> None:
        """Add a micro-step's gradients: whole ones where they lie, sharded ones by a reduce-scatter at once."""
        n = self.sizes.cards
        chunks = gradient.reshape(n, n, self.sizes.chunk)
        if not self.layout.gradients:
            self.gradients[layer] += chunks
            return
        self.passing = max(self.passing, chunks[0].nbytes)
        reduce_scatter(chunks, self.meter, rules)
        self.gradients[layer] += chunks[np.arange(n), np.arange(n)]

    def optimize(self, task: Task, step: int, parts: Parts) -> None:
        """Finish the sums, update what each card is responsible for, and give the others the new weights."""
        own = (np.arange(self.sizes.cards), np.arange(self.sizes.cards))
        for layer, state in enumerate(self.states):
            gradient, weights = self.gradients[layer], self.weights[layer]
            scale = task.grid_steps[layer] / (self.sizes.cards * self.sizes.micro)
            if not self.layout.optimizer:
                all_reduce(gradient, self.meter, parts.ring)
                weights[...] = parts.update(state, gradient, scale, step)
            else:
                if not self.layout.gradients:
                    reduce_scatter(gradient, self.meter, parts.ring)
                mine = gradient if self.layout.gradients else gradient[own]
                updated = parts.update(state, mine, scale, step)
                if self.layout.weights:
                    weights[...] = updated
                else:
                    weights[own] = updated
                    all_gather(weights, self.meter, parts.ring)
            gradient[...] = 0


def trained(task: Task, stage: int, parts: Parts, tick: Callable[[], None]) -> Cards:
    """All optimizer steps of one stage."""
    cards = Cards.made(task, parts.layout(stage))
    grid = task.sizes.grid

    def take(layer: int, gradient: F32) -> None:
        cards.take(layer, on_grid(gradient, task.grid_steps[layer], grid), parts.ring)

    for step in range(len(task.inputs)):
        for micro in range(task.sizes.micro):
            forward_backward(
                lambda layer: cards.layer(layer, parts.ring), task.inputs[step, micro], task.targets[step, micro], take
            )
            tick()
        cards.optimize(task, step + 1, parts)
    return cards


def same_bits(cards: Cards, weights: list[F16], states: list[Adam]) -> bool:
    """Weights, master copy and both moments on every card are, to the last bit, the unsharded card's."""
    n, chunk = cards.sizes.cards, cards.sizes.chunk
    pairs = [
        *zip(cards.weights, weights, strict=True),
        *((getattr(a, key), getattr(b, key)) for a, b in zip(cards.states, states, strict=True) for key in "mv"),
        *((a.master, b.master) for a, b in zip(cards.states, states, strict=True)),
    ]
    return all(bool(np.array_equal(held, np.broadcast_to(true.reshape(n, chunk), held.shape))) for held, true in pairs)


def bytes_by_formula(stage: int, phi: int, cards: int) -> int:
    """16Φ, 4Φ + 12Φ/N, 2Φ + 14Φ/N, 16Φ/N bytes; Φ is a multiple of N here."""
    return (16 * phi, 4 * phi + 12 * phi // cards, 2 * phi + 14 * phi // cards, 16 * phi // cards)[stage]


def passes_by_formula(stage: int, micro: int) -> int:
    """How often Φ elements go round, (N-1)/N of them sent by each card: 2, 2, K + 1, 3K."""
    return (2, 2, micro + 1, 3 * micro)[stage]


EQUAL = Tolerance(
    0.0,
    "exact",
    Text(
        "To the last bit. Gradients are rounded to whole grid steps whose sums are exact in half precision in any order.",
        "逐比特相等。梯度取整到网格步长的整数倍，使其和在半精度下无论次序都无误差。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """Train once unsharded and once in each stage, then compare."""
    sizes = Sizes.at_least(whole(values, "phi"), whole(values, "n"), whole(values, "micro"))
    steps = whole(values, "steps")
    task = Task.drawn(seed, sizes, steps)
    done, all_ticks = [0], 5 * steps * sizes.micro

    def tick() -> None:
        done[0] += 1
        progress(0.95 * done[0] / all_ticks, f"{done[0]}/{all_ticks}")

    weights, states = unsharded(task, tick)
    metrics: dict[str, bool | int | float] = {}
    found: dict[str, Recorded] = {"phi": recorded(sizes.phi, "parameters")}
    kept: list[dict[str, int]] = []
    for stage, name in enumerate(STAGES):
        cards = trained(task, stage, parts, tick)
        held = [cards.bytes_of(card) for card in range(sizes.cards)]
        right = bytes_by_formula(stage, sizes.phi, sizes.cards)
        sent = passes_by_formula(stage, sizes.micro) * (sizes.cards - 1) * sizes.phi // sizes.cards * steps
        metrics[f"{name}_equals_unsharded"] = same_bits(cards, weights, states)
        metrics[f"{name}_bytes_match"] = all(sum(one.values()) == right for one in held)
        metrics[f"{name}_traffic_matches"] = bool(np.all(cards.meter.elements == sent))
        found[f"{name}_bytes_each"] = recorded(sum(held[0].values()), "B")
        found[f"{name}_sent_each_step"] = recorded(int(cards.meter.elements[0]) // steps, "elements")
        found[f"{name}_sent_bytes_each_step"] = recorded(int(cards.meter.bytes[0]) // steps, "B")
        found[f"{name}_passing_bytes"] = recorded(cards.passing, "B")
        kept.append(held[0])
    return Findings(
        metrics,
        found,
        EQUAL,
        _picture(kept, sizes, parts),
    )


def _picture(kept: list[dict[str, int]], sizes: Sizes, parts: Parts) -> Picture:
    """First all stages as bars of weights, gradients and optimizer bytes; then where the shards of each stage lie."""
    kinds = {"weights": FULL, "gradients": DENSE, "optimizer": LIGHT}
    rows = [
        (name, [(float(held[kind]), fill) for kind, fill in kinds.items()], si(sum(held.values()), "B"))
        for name, held in zip(STAGES, kept, strict=True)
    ]
    key = f"{FULL} W  {DENSE} G  {LIGHT} m,v,32"
    frames = [Frame((key, *bars(rows, WIDE)), (key, *bars(rows, NARROW)))]
    for stage, name in enumerate(STAGES):
        layout = parts.layout(stage)
        sharded = {"weights": layout.weights, "gradients": layout.gradients, "optimizer": layout.optimizer}
        frames.append(_shards(name, sharded, kept[stage], sizes.cards))
    return Picture(tuple(frames))


def _shards(name: str, sharded: Mapping[str, bool], held: Mapping[str, int], cards: int) -> Frame:
    shown = min(cards, 8)

    def row(card: int) -> str:
        parts = []
        for kind, letter in (("weights", "W"), ("gradients", "G"), ("optimizer", "O")):
            cells = "".join(FULL if not sharded[kind] or card == c else LIGHT for c in range(shown))
            parts.append(f"{letter}{cells}")
        return f"{card} " + " ".join(parts)

    sizes = "  ".join(f"{letter} {si(held[kind], 'B')}" for kind, letter in _LETTERS)
    more = [f"… {cards - shown}"] if shown < cards else []
    lines = [name, *(row(card) for card in range(shown)), *more, sizes]
    return Frame(tuple(cut(line, WIDE) for line in lines), tuple(cut(line, NARROW) for line in lines))


_LETTERS = (("weights", "W"), ("gradients", "G"), ("optimizer", "O"))


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """Φ, the cards N and the micro-steps K of a drill."""
    wished: dict[str, float | str | tuple[float, ...]] = {}
    for key, names in {"n": ("n", "dp", "gpus", "cards"), "phi": ("phi", "p"), "micro": ("k", "micro", "ga")}.items():
        for name in names:
            if name in drill:
                wished[key] = drill[name]
                break
    return wished


def _metrics() -> tuple[MetricSpec, ...]:
    formulas = (("16Φ", "2Φ"), ("4Φ+12Φ/N", "2Φ"), ("2Φ+14Φ/N", "(K+1)Φ"), ("16Φ/N", "3KΦ"))
    titles = ("DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3")
    specs: list[MetricSpec] = []
    for name, title, (size, sent) in zip(STAGES, titles, formulas, strict=True):
        same = Text(f"{title}: same bits as unsharded AdamW", f"{title}：与不分片的 AdamW 逐比特相同")
        held = Text(f"{title}: each card keeps {size} bytes", f"{title}：每卡常驻 {size} 字节")
        wire = Text(
            f"{title}: each card sends (N-1)/N of {sent} elements a step",
            f"{title}：每步每卡发送 {sent} 个元素的 (N-1)/N",
        )
        specs += [
            MetricSpec(f"{name}_equals_unsharded", same),
            MetricSpec(f"{name}_bytes_match", held),
            MetricSpec(f"{name}_traffic_matches", wire),
        ]
    return tuple(specs)


LAB = Lab(
    id="zero-sharding",
    version=1,
    title=Text("ZeRO-1, 2, 3 against unsharded AdamW", "ZeRO-1/2/3 与不分片的 AdamW"),
    about=Text(
        "A small network is trained by N cards with DDP and with each ZeRO stage, and by one card that shards nothing. Compared:"
        " the bits of weights, master copy and moments; the bytes of the arrays each card keeps; the elements each card sends"
        " on a ring, with K micro-steps before each optimizer step. Φ is rounded up until every layer divides by N.",
        "同一个小网络，分别用 N 卡 DDP、ZeRO 各阶段和一张不分片的卡训练。比较三项：权重、主权重副本和动量的每一比特；"
        "每卡常驻数组的字节数；每次优化器更新前走 K 个 micro-step 时每卡在环上发送的元素数。Φ 向上取整，使每层都能被 N 整除。",
    ),
    params=(
        LabParam("n", Text("Cards N", "卡数 N"), "int", 8, 2, 64),
        LabParam("phi", Text("Parameters Φ", "参数量 Φ"), "int", 4096, 64, 8192),
        LabParam("micro", Text("Micro-steps K", "micro-step 数 K"), "int", 1, 1, 16),
        LabParam("steps", Text("Optimizer steps", "优化器步数"), "int", 2, 1, 2),
    ),
    metrics=_metrics(),
    simulate=simulate,
    wish=wish,
    sizes={"phi": 4096},
    largest={"n": 64, "phi": 8192, "micro": 16, "steps": 2},
)
