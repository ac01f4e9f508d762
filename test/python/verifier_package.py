"""Runs packages/python against real servers: `{task, …}` in, its observations out, as JSON lines on standard output."""

import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "packages/python/src"))

from stp_verifier import LeanReward, Row, Verifier  # noqa: E402

given = json.loads(sys.stdin.readline())


def tell(found):
    print(json.dumps(found), flush=True)


class Counted(Verifier):
    """Counts the rows that a server has answered."""

    def __init__(self, *arguments, **options):
        self.answered = Counter()
        self.begun = threading.Event()
        super().__init__(*arguments, **options)

    def _request(self, method, path, body):
        self.begun.set()
        status, text, wait = super()._request(method, path, body)
        if body is not None and status == 200:
            self.answered.update(row.get("proof", row.get("answer")) for row in json.loads(body)["rows"])
        return status, text, wait


def proofs(count):
    """Makes different proofs of different statements, every fifth one wrong."""
    return [
        Row(
            f"theorem t (a b : Nat) : a + b + {n} = b + a + {n if n % 5 else n + 1}",
            proof=f"  have _step{n} := {n}\n  omega",
            header="import Init",
        )
        for n in range(count)
    ]


def own_server():
    """Starts a server, kills it in the middle, and gets all verdicts."""
    options = {"arguments": ["--sandbox", "where-available"], "rows_per_request": 4, "concurrency": 2}
    with Counted.start(given["stp"], **options) as verifier:
        first = verifier._server.pid
        tell({"pid": first, "lean": verifier.environment()["lean"]})
        rows = proofs(24)

        def kill():
            verifier.begun.wait()
            time.sleep(0.05)
            os.kill(first, 9)

        verifier.begun.clear()
        threading.Thread(target=kill).start()
        verdicts = [verdict.verdict for verdict in verifier.verify(rows)]
        second = verifier._server.pid
        tell({"verdicts": verdicts, "pid": second})


def leave_server():
    """Starts a server and waits to be killed."""
    verifier = Verifier.start(given["stp"], arguments=["--sandbox", "where-available"])
    tell({"pid": verifier._server.pid, "url": verifier._server.url})
    time.sleep(3_600)


def other_server():
    """Sends a thousand completions at once to a server that a test may kill."""
    statement = "theorem commutes (a b : Nat) : a + b = b + a"
    answers = [f"I try {n}.\n```lean4\n{statement} := by\n  have _s{n % 16} := {n % 16}\n  omega\n```" for n in range(250)]
    answers += [f"I give up, attempt {n}." for n in range(650)]
    answers += [f"```lean4\ntheorem commutes (a b : Nat) : a = a := by\n  have _s{n % 50} := 0\n  rfl\n```" for n in range(100)]
    verifier = Counted(given["url"], concurrency=given["concurrency"], rows_per_request=8, patience=240)
    reward = LeanReward(verifier, "goedel-prover-v2", header="top")
    done = {}
    thread = threading.Thread(
        target=lambda: done.update(
            rewards=reward(completions=answers, statement=[statement] * 1_000, top=["import Init"] * 1_000)
        )
    )
    thread.start()
    verifier.begun.wait()
    tell({"begun": True})
    thread.join()
    verifier.close()
    tell({"rewards": done["rewards"], "answered": sorted(set(verifier.answered.values())), "asked": len(verifier.answered)})


{"own": own_server, "leave": leave_server, "other": other_server}[given["task"]]()
