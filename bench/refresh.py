"""Exchanging refresh tokens over HTTP, with 100,000 accounts: each exchange is one transaction.

Each app exchanges the token of one account after another, and what it gets is exchanged again when
its account's turn comes.
"""

import random
from collections.abc import Callable, Iterator

from bench.harness import Contender, compare
from bench.library import library
from bench.load import ensure_wrk, requests_per_second
from bench.readers import account_ids, fill, refresh_token_of
from bench.servers import ROOT, free_port, running, settings

ACCOUNTS = 100_000
APPS = 8
IN_TURN = 5000
P95_MS = 10.0
_PATH = "/wp-json/novel/v1/auth/refresh"
_EXCHANGE = """
local tokens, first, last = {:tokens}, 1, :number
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
function request()
  local token = tokens[first]
  tokens[first] = nil
  first = first + 1
  return wrk.format(nil, nil, nil, '{"refresh_token":"' .. token .. '"}')
end
function response(status, headers, body)
  last = last + 1
  tokens[last] = body:match('"refresh_token":"([^"]+)"')
end
"""


def run() -> bool:
    """Whether the target is reached."""
    ensure_wrk()
    with library(10) as place:
        fill(place.url, ACCOUNTS)
        ids = list(account_ids(place.url))
        random.Random(7).shuffle(ids)  # noqa: S311 - an order, not a secret
        script = _scripts(iter(ids))
        port = free_port()
        base = f"http://127.0.0.1:{port}"
        command = [str(ROOT / ".venv/bin/rensai"), "serve"]
        with running(command, settings(place.url, place.folder, port), url=f"{base}/healthz"):
            outcome = compare(
                "refresh",
                f"Exchange of refresh tokens, {ACCOUNTS:,} accounts",
                [
                    Contender(
                        f"{apps} at once",
                        requests_per_second(base + _PATH, clients=apps, script=script),
                    )
                    for apps in (1, APPS)
                ],
                baseline="1 at once",
                unit="/s",
            )
    p95 = outcome.of(f"{APPS} at once").latencies["p95 ms"]
    print(f"  target: p95 <= {P95_MS:g} ms with {APPS} at once: {p95:.1f}")
    return p95 <= P95_MS


def _scripts(ids: Iterator[int]) -> Callable[[], str]:
    """What wrk is to send, with tokens that no turn before has used."""

    def script() -> str:
        tokens = [refresh_token_of(next(ids)) for _ in range(IN_TURN)]
        quoted = ",".join(f'"{token}"' for token in tokens)
        return _EXCHANGE.replace(":tokens", quoted).replace(":number", str(IN_TURN))

    return script
