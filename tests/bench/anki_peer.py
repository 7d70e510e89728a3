"""What Anki's library does, as programs to be timed. usage: anki_peer.py first-card|answer|recompute|limits COLLECTION [N]"""

from __future__ import annotations

import json
import random
import sys
import time


def first_card(path: str) -> None:
    """Open, fetch the first due card, print a marker."""
    from anki.collection import Card, Collection

    collection = Collection(path)
    queue = collection.sched.get_queued_cards()
    card = Card(collection)
    card._load_from_backend_card(queue.cards[0].card)
    assert "Question" in card.question()
    print("FIRST-CARD", flush=True)
    collection.close()


def answer(path: str, n: int) -> None:
    """Answer `n` cards as its reviewer does; prints seconds from answer to next card, and its pragmas."""
    from anki.collection import Card, Collection
    from anki.scheduler.v3 import CardAnswer

    ratings = (CardAnswer.AGAIN, CardAnswer.HARD, CardAnswer.GOOD, CardAnswer.EASY)
    chooser = random.Random(3)
    collection = Collection(path)
    assert collection.db is not None
    collection.db.execute("pragma synchronous = full")
    queue = collection.sched.get_queued_cards(fetch_limit=1)
    took_s = []
    for _ in range(n):
        item = queue.cards[0]
        card = Card(collection)
        card._load_from_backend_card(item.card)
        card.start_timer()
        rating = ratings[chooser.choices(range(4), (10, 8, 72, 10))[0]]
        started = time.perf_counter()
        collection.sched.answer_card(collection.sched.build_answer(card=card, states=item.states, rating=rating))
        queue = collection.sched.get_queued_cards(fetch_limit=1)
        took_s.append(time.perf_counter() - started)
    pragmas = {name: collection.db.scalar(f"pragma {name}") for name in ("journal_mode", "synchronous")}
    collection.close()
    print(json.dumps({"took_s": took_s, "pragmas": pragmas}))


def limits(path: str, n: int) -> None:
    """Set both daily limits of the only preset to `n`."""
    from anki.collection import Collection

    collection = Collection(path)
    config = collection.decks.get_config(1)  # type: ignore[arg-type]
    assert config is not None
    config["new"]["perDay"] = config["rev"]["perDay"] = n
    collection.decks.update_config(config)
    collection.close()


def recompute(path: str) -> None:
    """Save changed FSRS weights: Anki computes every reviewed card's memory state from its log again."""
    from anki import deck_config_pb2
    from anki.collection import Collection

    collection = Collection(path)
    update = collection._backend.get_deck_configs_for_update(1)
    config = update.all_config[0].config
    weights = list(update.defaults.config.fsrs_params_6)
    weights[2] *= 1.1
    config.config.fsrs_params_6[:] = weights
    started = time.perf_counter()
    collection._backend.update_deck_configs(
        target_deck_id=1,
        configs=[config],
        removed_config_ids=[],
        mode=deck_config_pb2.UPDATE_DECK_CONFIGS_MODE_NORMAL,
        card_state_customizer="",
        limits=update.current_deck.limits,
        new_cards_ignore_review_limit=True,
        fsrs=True,
        apply_all_parent_limits=False,
        fsrs_reschedule=False,
        fsrs_health_check=False,
    )
    print(json.dumps({"took_s": time.perf_counter() - started}))
    collection.close()


if __name__ == "__main__":
    command, target, *rest = sys.argv[1:]
    if command == "first-card":
        first_card(target)
    elif command == "answer":
        answer(target, int(rest[0]))
    elif command == "limits":
        limits(target, int(rest[0]))
    else:
        recompute(target)
