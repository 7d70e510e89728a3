"""The order in which a pack's cards are introduced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def introduction_order(
    topics: Sequence[str],
    topic_of: Mapping[str, str],
    requires: Mapping[str, Sequence[str]],
    after: Mapping[str, Sequence[str]],
) -> list[str]:
    """The ids of `topic_of` by topic and then as written, each after what it requires.

    A prerequisite that stands later, or in a later topic, is pulled forward, to just before the first card in need.
    `after` names entries (oral questions) that wait: such an entry comes once its topic is complete and every entry it
    names was introduced, so that it pulls nothing forward. The `requires` must have no cycle.
    """
    order: dict[str, None] = {}
    for topic in topics:
        for entry in topic_of:
            if topic_of[entry] == topic and entry not in after:
                for placed in _with_needs(entry, requires, order, after):
                    order[placed] = None
    return _with_waiting(list(order), topic_of, requires, after)


def _with_needs(
    entry: str, requires: Mapping[str, Sequence[str]], order: Mapping[str, None], after: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """`entry` and what it needs that has no place yet, prerequisites first; a stack of its own, chains may be long."""
    if entry in order:
        return
    seen = {entry}
    stack = [(entry, iter(requires.get(entry, ())))]
    while stack:
        current, needs = stack[-1]
        needed = next(needs, None)
        if needed is None:
            stack.pop()
            yield current
        elif needed not in order and needed not in seen and needed not in after:
            seen.add(needed)
            stack.append((needed, iter(requires.get(needed, ()))))


def _with_waiting(
    order: list[str],
    topic_of: Mapping[str, str],
    requires: Mapping[str, Sequence[str]],
    after: Mapping[str, Sequence[str]],
) -> list[str]:
    place = {entry: index for index, entry in enumerate(order)}
    last_of_topic = {topic_of[entry]: index for entry, index in place.items()}
    waiting: dict[int, list[str]] = {}
    for entry in (entry for entry in topic_of if entry in after):
        awaited = (place[name] for name in (*after[entry], *requires.get(entry, ())) if name in place)
        at = max([last_of_topic.get(topic_of[entry], len(order) - 1), *awaited])
        waiting.setdefault(at, []).append(entry)
    with_waiting = list(waiting.pop(-1, []))
    for index, entry in enumerate(order):
        with_waiting += [entry, *waiting.get(index, ())]
    return with_waiting


__all__ = ["introduction_order"]
