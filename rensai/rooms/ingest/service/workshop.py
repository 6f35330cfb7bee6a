"""Threads for what would hold up the event loop: unpacking, reading and preparing bodies."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Few: most of the work is hashing and packing, which uses a core whole, and every batch in hand
# has its bodies in memory.
_THREADS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="ingest")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do the work in a thread of the workshop."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_THREADS, partial(work, *args, **kwargs))
