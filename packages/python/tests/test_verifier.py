"""Tests the client against a server of its own, with the standard library alone.

`python -m unittest discover -s tests`
"""

from __future__ import annotations

import json
import pickle
import sys
import threading
import time
import types
import unittest
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock

from stp_verifier import LeanReward, NoVerdict, Row, Verifier, VerifierError, message_text
from stp_verifier import verifier as client

Answer = tuple[int, Any]


class Judge:
    """Answers `/api/verify` as `reply` says; by default every `good` proof is proved. Counts the requests."""

    def __init__(self, reply: Callable[[int, list[dict[str, Any]]], Answer | None] | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self.sizes: list[int] = []
        self.most = 0
        self.keys: set[str | None] = set()
        self._open = 0
        self._lock = threading.Lock()
        judge = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                rows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["rows"]
                judge.keys.add(self.headers["Authorization"])
                with judge._lock:
                    judge._open += 1
                    judge.most = max(judge.most, judge._open)
                    number = len(judge.sizes)
                    judge.sizes.append(len(rows))
                time.sleep(0.01)
                found = (reply or judge.judged)(number, rows)
                with judge._lock:
                    judge._open -= 1
                if found is None:
                    self.connection.close()
                    return
                status, body = found
                text = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def judged(self, _: int, rows: list[dict[str, Any]]) -> Answer:
        with self._lock:
            self.asked.update(row["proof"] if "proof" in row else row["answer"] for row in rows)
        results = []
        for row in rows:
            text = row["proof"] if "proof" in row else row["answer"]
            kind = "proved" if text.startswith("good") else "rejected"
            results.append({"id": row["id"], "verdict": kind, "message": text, "axioms": [], "checks": [], "new": 1})
        return 200, {"results": results}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def infra(rows: list[dict[str, Any]]) -> Answer:
    return 200, {"results": [{"id": row["id"], "verdict": "infra", "message": "no Lean"} for row in rows]}


class VerifierTest(unittest.TestCase):
    def setUp(self) -> None:
        patches = [mock.patch.object(client, "FIRST_PAUSE_SECONDS", 0.01)]
        patches.append(mock.patch.object(client, "LONGEST_PAUSE_SECONDS", 0.05))
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    def serve(self, reply: Any = None) -> Judge:
        judge = Judge(reply)
        self.addCleanup(judge.close)
        return judge

    def verifier(self, judge: Judge, **options: Any) -> Verifier:
        verifier = Verifier(judge.url, **options)
        self.addCleanup(verifier.close)
        return verifier

    def test_verdicts_come_in_order_in_batches_with_bounded_concurrency(self) -> None:
        judge = self.serve()
        verifier = self.verifier(judge, rows_per_request=3, concurrency=2, key="secret")
        rows = [Row("theorem t : True", proof=f"{'good' if n % 3 else 'bad'} {n}") for n in range(50)]
        verdicts = verifier.verify(rows)
        self.assertEqual([verdict.message for verdict in verdicts], [row.proof for row in rows])
        self.assertEqual([verdict.proved for verdict in verdicts], [n % 3 > 0 for n in range(50)])
        self.assertLessEqual(max(judge.sizes), 3)
        self.assertEqual(judge.most, 2)
        self.assertEqual(judge.keys, {"Bearer secret"})

    def test_equal_rows_are_asked_once(self) -> None:
        judge = self.serve()
        rows = [Row("theorem t : True", proof=f"good {n % 4}") for n in range(40)]
        self.assertTrue(all(verdict.proved for verdict in self.verifier(judge).verify(rows)))
        self.assertEqual(judge.asked, Counter({f"good {n}": 1 for n in range(4)}))

    def test_a_broken_connection_a_passing_status_and_nonsense_are_tried_again(self) -> None:
        failures: list[Answer | None] = [None, (429, {"detail": "later"}), (200, b"no JSON"), (503, {"detail": "bye"})]
        # Verdicts for other rows do not count.
        failures.append((200, {"results": []}))
        judge: Judge = self.serve(lambda number, rows: failures[number] if number < 5 else judge.judged(number, rows))
        verdicts = self.verifier(judge).verify([Row("theorem t : True", proof="good")])
        self.assertEqual([verdict.verdict for verdict in verdicts], ["proved"])
        self.assertEqual(judge.asked, Counter({"good": 1}))
        self.assertEqual(len(judge.sizes), 6)

    def test_what_has_a_verdict_is_not_asked_again(self) -> None:
        judge: Judge = self.serve(lambda number, rows: infra(rows) if number == 1 else judge.judged(number, rows))
        verifier = self.verifier(judge, rows_per_request=2, concurrency=1)
        verdicts = verifier.verify([Row("theorem t : True", proof=f"good {n}") for n in range(6)])
        self.assertTrue(all(verdict.proved for verdict in verdicts))
        self.assertEqual(set(judge.asked.values()), {1})

    def test_a_verdict_that_cannot_be_had_is_none_and_never_zero(self) -> None:
        judge = self.serve(lambda _, rows: infra(rows))
        verifier = self.verifier(judge, patience=0.1)
        self.assertEqual(verifier.verify([Row("theorem t : True", proof="good")])[0].verdict, "infra")
        with self.assertRaises(NoVerdict):
            verifier.check("theorem t : True", "good")
        reward = LeanReward(verifier, "embedded")
        self.assertEqual(reward(completions=["good"], statement=["theorem t : True"]), [None])

    def test_a_server_that_is_not_there_gives_no_verdict(self) -> None:
        judge = Judge()
        judge.close()
        verdict = self.verifier(judge, patience=0.1).verify([Row("theorem t : True", proof="good")])[0]
        self.assertEqual((verdict.verdict, verdict.judged), ("infra", False))
        self.assertIn("gave no verdict", verdict.message)

    def test_a_refusal_is_raised_at_once_and_says_where(self) -> None:
        detail = [{"loc": ["body", "rows", 0, "format"], "msg": "is none of stp", "type": "value_error"}]
        judge = self.serve(lambda *_: (422, {"detail": detail}))
        with self.assertRaisesRegex(VerifierError, "status 422: body.rows.0.format: is none of stp"):
            self.verifier(judge).verify([Row("theorem t : True", answer="good", format="mine")])
        self.assertEqual(len(judge.sizes), 1)

    def test_a_version_of_verifiers_without_rubrics_is_named(self) -> None:
        other = types.ModuleType("verifiers")
        setattr(other, "__version__", "0.4.0")  # noqa: B010
        said = self.assertRaisesRegex(ImportError, "0.4.0 has no rubrics")
        with mock.patch.dict(sys.modules, {"verifiers": other}), said:
            import stp_verifier.environment  # noqa: F401

    def test_a_row_is_a_proof_or_an_answer_with_its_format(self) -> None:
        for fields in ({}, {"proof": "a", "answer": "b", "format": "stp"}, {"answer": "b"}):
            with self.assertRaises(ValueError):
                Row("theorem t : True", **fields)

    def test_an_endless_answer_is_no_proof_and_is_not_sent(self) -> None:
        judge = self.serve()
        endless = Row("theorem t : True", answer="x" * (client.ANSWER_CHARS_MAX + 1), format="stp")
        verdicts = self.verifier(judge).verify([endless, Row("theorem t : True", proof="good")])
        self.assertEqual([verdict.verdict for verdict in verdicts], ["no_proof", "proved"])
        self.assertEqual(judge.sizes, [1])

    def test_long_answers_are_parted_by_their_size(self) -> None:
        judge = self.serve()
        rows = [Row("theorem t : True", answer=f"good {n}" + "x" * 400_000, format="stp") for n in range(4)]
        self.assertTrue(all(verdict.proved for verdict in self.verifier(judge).verify(rows)))
        self.assertGreater(len(judge.sizes), 1)

    def test_a_copy_in_another_process_speaks_to_the_same_server(self) -> None:
        verifier = pickle.loads(pickle.dumps(self.verifier(self.serve())))
        self.addCleanup(verifier.close)
        self.assertTrue(verifier.check("theorem t : True", "good").proved)


class LeanRewardTest(unittest.TestCase):
    def test_it_is_called_as_trl_calls_it(self) -> None:
        judge = Judge()
        self.addCleanup(judge.close)
        with Verifier(judge.url) as verifier:
            logged: dict[str, float] = {}
            rewards = LeanReward(verifier, "goedel-prover-v2")(
                prompts=["p"] * 3,
                completions=["good", [{"role": "assistant", "content": "bad"}], [{"role": "assistant", "content": "good"}]],
                completion_ids=[[1], [2], [3]],
                trainer_state=object(),
                log_extra=lambda *_: None,
                log_metric=logged.__setitem__,
                statement=["theorem t : True"] * 3,
                other=[1, 2, 3],
            )
        self.assertEqual(rewards, [1.0, 0.0, 1.0])
        self.assertEqual(logged, {"lean/proved": 2 / 3, "lean/not_judged": 0.0})

    def test_a_data_set_without_statements_is_refused(self) -> None:
        with Verifier("http://127.0.0.1:1") as verifier, self.assertRaisesRegex(KeyError, "no column 'theorem'"):
            LeanReward(verifier, "stp", statement="theorem")(completions=["a"], statement=["b"])

    def test_the_text_of_a_message_may_come_in_parts(self) -> None:
        self.assertEqual(message_text([{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]), "ab")
        self.assertEqual((message_text([]), message_text([{"content": None}])), ("", ""))


if __name__ == "__main__":
    unittest.main()
