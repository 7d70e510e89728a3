"""ring: reduce-scatter, all-gather and all-reduce on a ring of cards, step by step, every sent byte counted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Tolerance, Values, recorded
from evidence.lab_params import whole
from evidence.labs.collectives import RULES, Array, Meter, Rules, all_gather, reduce_scatter
from evidence.labs.draw import F32, I64, Stream
from evidence.picture import FULL, HALF, LIGHT, NARROW, WIDE, Frame, Picture, cut, grid, si

SHOWN_CARDS = 12


EQUAL = Tolerance(
    0.0,
    "exact",
    Text(
        "Sums to the last bit: the entries are multiples of 1/256 small enough to add up exactly in FP32 in any order."
        " Bytes to the last byte.",
        "和逐比特相等：元素都是 1/256 的整数倍，且足够小，FP32 下任何次序相加都无误差。字节数逐字节相等。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, rules: Rules = RULES) -> Findings:
    """All-reduce of one array a card, as its two halves, then an all-gather by itself."""
    cards, asked = whole(values, "cards"), whole(values, "elements")
    chunk = -(-asked // cards)
    data, truth = _drawn(cards, chunk, seed, progress)
    size = data[0].nbytes
    scatter, gather, alone = Meter(cards), Meter(cards), Meter(cards)

    ranks = np.arange(cards)
    reduce_scatter(data, scatter, rules)
    progress(0.5, f"{cards - 1}/{2 * (cards - 1)}")
    owned_right = bool(np.array_equal(data[ranks, ranks], truth))
    all_gather(data, gather, rules)
    progress(0.7, f"{2 * (cards - 1)}/{2 * (cards - 1)}")
    summed_right = all(bool(np.array_equal(card, truth)) for card in data)

    _scatter_again(data, truth)
    all_gather(data, alone, rules)
    gathered_right = all(bool(np.array_equal(card, truth)) for card in data)
    progress(0.9, "")

    both = scatter.bytes + gather.bytes
    once = (cards - 1) * size // cards
    metrics: dict[str, bool | int | float] = {
        "reduce_scatter_owns_sum": owned_right,
        "all_gather_completes": gathered_right,
        "all_reduce_equals_sum": summed_right,
        "all_reduce_bytes_match": bool(np.all(both * cards == 2 * (cards - 1) * size)),
        "halves_send_alike": bool(np.all(scatter.bytes == once) and np.all(alone.bytes == once)),
        "steps_match": scatter.steps + gather.steps == 2 * (cards - 1),
    }
    return Findings(
        metrics,
        {
            "elements_each": recorded(chunk * cards, "elements"),
            "size": recorded(size, "B"),
            "all_reduce_sent_each": recorded(int(both.max()), "B"),
            "reduce_scatter_sent_each": recorded(int(scatter.bytes.max()), "B"),
            "all_gather_sent_each": recorded(int(alone.bytes.max()), "B"),
            "all_reduce_sent_total": recorded(int(both.sum()), "B"),
            "sent_over_size": recorded(int(both.max()) / size, "x"),
            "steps": recorded(scatter.steps + gather.steps, "steps"),
        },
        EQUAL,
        _picture(cards, size // cards, rules),
    )


def _drawn(cards: int, chunk: int, seed: int, progress: Progress) -> tuple[F32, F32]:
    """Every card's array as [card, chunk, entry], and the true sum over cards."""
    stream = Stream(seed)
    data = np.empty((cards, cards, chunk), dtype=np.float32)
    truth = np.zeros((cards, chunk), dtype=np.float64)
    for card in range(cards):
        data[card] = (stream.below(4096, cards, chunk) - 2048) / 256.0
        truth += data[card]
        progress(0.3 * (card + 1) / cards, f"{card + 1}/{cards}")
    return data, truth.astype(np.float32)


def _scatter_again(data: F32, truth: F32) -> None:
    """Leave each card nothing but its own chunk."""
    data[:] = -1.0
    for card in range(len(data)):
        data[card, card] = truth[card]


def _picture(cards: int, chunk_bytes: int, rules: Rules) -> Picture:
    """The same ring run on ones: what a chunk holds is then the number of cards summed in it."""
    ones = np.ones((cards, cards, 1), dtype=np.int64)
    meter = Meter(cards)
    frames = [_frame(ones[:, :, 0], None, f"0/{2 * (cards - 1)}  0 B")]

    def shoot(_step: int, sent: I64, now: Array) -> None:
        done = f"{meter.steps}/{2 * (cards - 1)}  {si(meter.steps * chunk_bytes, 'B')}"
        frames.append(_frame(now[:, :, 0], sent, done))

    reduce_scatter(ones, meter, rules, shoot)
    all_gather(ones, meter, rules, shoot)
    return Picture(tuple(frames))


def _frame(counts: I64, sent: I64 | None, title: str) -> Frame:
    cards = len(counts)
    shown = min(cards, SHOWN_CARDS)
    rows = []
    for card in range(shown):
        arrived = None if sent is None else int(sent[(card - 1) % cards])
        rows.append([f"{card}", *(_cell(int(counts[card, c]), cards, c == arrived) for c in range(shown))])
    more = [f"… {cards - shown}"] if shown < cards else []
    return Frame(
        (cut(title, WIDE), *grid(rows, WIDE), *more),
        (cut(title, NARROW), *grid(rows, NARROW, gap=""), *more),
    )


def _cell(count: int, cards: int, is_new: bool) -> str:
    shade = FULL if count == cards else LIGHT if count == 1 else HALF
    return f"{'→' if is_new else ' '}{shade}{count:<2}"


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """Cards from n; the array from a size in bytes (s, size, m) at 4 bytes an element, or from a count of parameters."""
    wished: dict[str, float | str | tuple[float, ...]] = {}
    for name in ("n", "cards", "gpus", "ep", "t", "tp"):
        if name in drill:
            wished["cards"] = drill[name]
            break
    for name, bytes_each in (("s", 4.0), ("size", 4.0), ("bytes", 4.0), ("phi", 1.0)):
        if name in drill:
            wished["elements"] = drill[name] / bytes_each
            break
    return wished


LAB = Lab(
    id="ring",
    version=1,
    title=Text("Ring all-reduce, step by step", "环形 All-Reduce，一步一步"),
    about=Text(
        "Each card holds an array. In N-1 steps every card passes one chunk to its right neighbour, which adds it"
        " (reduce-scatter); in N-1 more the finished chunks go round (all-gather). The bytes of each message are counted where"
        " it is sent. The array is rounded up to a multiple of N entries.",
        "每张卡持有一个数组。前 N-1 步，每卡把一块发给右邻并由其累加（Reduce-Scatter）；后 N-1 步，"
        "算好的块绕环一圈（All-Gather）。"
        "每条消息的字节数在发出处计数。数组长度向上取整为 N 的倍数。",
    ),
    params=(
        LabParam("cards", Text("Cards N", "卡数 N"), "int", 8, 2, 64),
        LabParam("elements", Text("FP32 entries on each card", "每卡 FP32 元素数"), "int", 4096, 1, 524288),
    ),
    metrics=(
        MetricSpec(
            "reduce_scatter_owns_sum",
            Text("After reduce-scatter each card owns the sum of its chunk", "Reduce-Scatter 后每卡持有自己那块的总和"),
        ),
        MetricSpec(
            "all_gather_completes",
            Text("After all-gather every card has every chunk", "All-Gather 后每卡拥有所有块"),
        ),
        MetricSpec("all_reduce_equals_sum", Text("All-reduce gives every card the sum", "All-Reduce 后每卡都得到总和")),
        MetricSpec("all_reduce_bytes_match", Text("Each card sent 2(N-1)/N of the array", "每卡发送数组的 2(N-1)/N")),
        MetricSpec("halves_send_alike", Text("Each half sent (N-1)/N of the array", "两半各发送数组的 (N-1)/N")),
        MetricSpec("steps_match", Text("2(N-1) steps", "共 2(N-1) 步")),
    ),
    simulate=simulate,
    wish=wish,
    sizes={"elements": 65536},
    largest={"cards": 64, "elements": 524288},
)
