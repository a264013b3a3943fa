"""The worker does one thing after another, and what was left for later while nobody waits."""

from __future__ import annotations

import asyncio
import threading
import time

from muniment_api.worker import Worker


def test_what_was_left_is_done_a_little_at_a_time_while_nobody_waits() -> None:
    left = [4]
    done = threading.Event()

    def settle() -> bool:
        left[0] -= 1
        if left[0] == 0:
            done.set()
        return left[0] > 0

    async def work() -> int:
        return await worker.run(lambda: 7)

    worker = Worker(settle)
    assert asyncio.run(work()) == 7
    assert done.wait(5)
    worker.close()
    assert left == [0]


def test_who_waits_comes_before_what_was_left() -> None:
    begun: list[str] = []

    def settle() -> bool:
        begun.append("settle")
        time.sleep(0.01)
        return len(begun) < 50

    async def work() -> None:
        await worker.run(begun.append, "first")
        await asyncio.gather(*(worker.run(begun.append, "asked") for _ in range(5)))

    worker = Worker(settle)
    asyncio.run(work())
    worker.close()
    asked = [place for place, what in enumerate(begun) if what == "asked"]
    assert asked[-1] - asked[0] == 4
    assert asked[0] <= 3
