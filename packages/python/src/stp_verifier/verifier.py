"""The client: sends rows and returns one verdict for each, in order.

A verdict is about a proof only. After a failure of a machine the client tries again; if all attempts fail, the row's
verdict is `infra`. No row is scored twice, and no row is scored zero because nobody could judge it.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from .rows import NoVerdict, Row, Verdict, VerifierError
from .server import LeanServer

#: Longest answer that is sent; the server reads no longer ones.
ANSWER_CHARS_MAX = 1_048_576
#: Bytes of one request; the server reads twice as many.
REQUEST_BYTES_MAX = 8 * 1024 * 1024
#: Bytes of one answer.
RESPONSE_BYTES_MAX = 64 * 1024 * 1024
#: Statuses after which the same request may succeed.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 15.0

Read = TypeVar("Read")


class Verifier:
    """Sends rows to a server in batches, at most `concurrency` at once. Safe to use from several threads.

    `Verifier(url)` speaks to a running server; `Verifier.start()` starts one and ends it on `close()`.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        *,
        key: str | None = None,
        rows_per_request: int = 16,
        concurrency: int = 4,
        patience: float = 300.0,
        timeout: float = 1_800.0,
        server: LeanServer | None = None,
    ) -> None:
        """Takes `patience`, the seconds for retries of a failing request, and `timeout`, the seconds for one answer."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a server: write http://HOST:PORT")
        if rows_per_request < 1 or concurrency < 1:
            raise ValueError("rows_per_request and concurrency are at least 1")
        self._url = parts
        self._key = key
        self._rows_per_request = rows_per_request
        self._patience = patience
        self._timeout = timeout
        self._server = server
        self._concurrency = concurrency
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    @classmethod
    def start(cls, stp: str | Sequence[str] = "bin/stp", *, arguments: Sequence[str] = (), **options: Any) -> Verifier:
        """Starts `stp lean serve` on a free port of this machine; `arguments` are further options of that command."""
        server = LeanServer(stp, arguments)
        try:
            return cls(server.url, server=server, **options)
        except BaseException:
            server.close()
            raise

    def __enter__(self) -> Verifier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends its threads, and the server if `start` started it."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)
        if self._server is not None:
            self._server.close()

    def __getstate__(self) -> dict[str, Any]:
        # Trainers copy rewards into other processes. Threads and our own server cannot be copied.
        if self._server is not None:
            raise TypeError("a Verifier that started its server cannot be copied: give the copies its address")
        return {**self.__dict__, "_pool": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def environment(self) -> dict[str, Any]:
        """Returns the server's Lean version, its sandbox, and the formats that it reads."""
        return self._ask("GET", "/api/environment", None, dict)

    def check(self, statement: str, proof: str, header: str | None = None) -> Verdict:
        """Returns the verdict on one proof. Raises `NoVerdict` if nobody could judge."""
        verdict = self.verify([Row(statement, proof=proof, header=header)])[0]
        if not verdict.judged:
            raise NoVerdict(verdict.message)
        return verdict

    def verify(self, rows: Iterable[Row | Mapping[str, Any]]) -> list[Verdict]:
        """
        Returns one verdict per row, in order. Equal rows are judged once. Raises `VerifierError` if the server refuses.
        """
        asked = [row if isinstance(row, Row) else Row(**row) for row in rows]
        verdicts: dict[Row, Verdict] = {}
        for row in asked:
            if row.answer is not None and len(row.answer) > ANSWER_CHARS_MAX:
                verdicts[row] = Verdict("no_proof", f"the answer has more than {ANSWER_CHARS_MAX} characters")
        waiting = [row for row in dict.fromkeys(asked) if row not in verdicts]
        futures = [self._threads().submit(self._judge, batch) for batch in self._batches(waiting)]
        try:
            for future in futures:
                verdicts.update(future.result())
        finally:
            for future in futures:
                future.cancel()
        return [verdicts[row] for row in asked]

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="stp-verifier")
            return self._pool

    def _batches(self, rows: Sequence[Row]) -> list[list[Row]]:
        batches: list[list[Row]] = []
        size = REQUEST_BYTES_MAX
        for row in rows:
            # A character takes at most six bytes in JSON, or twelve as a surrogate pair.
            chars = sum(len(text) for text in (row.statement, row.proof, row.answer, row.header) if text)
            if not batches or len(batches[-1]) == self._rows_per_request or size + 12 * chars > REQUEST_BYTES_MAX:
                batches.append([])
                size = 0
            batches[-1].append(row)
            size += 12 * chars
        return batches

    def _judge(self, rows: Sequence[Row]) -> dict[Row, Verdict]:
        """Asks until every row has a verdict or `patience` is over. Judged rows are not asked again."""
        verdicts: dict[Row, Verdict] = {}
        until = time.monotonic() + self._patience
        pause = FIRST_PAUSE_SECONDS
        while True:
            left = [row for row in rows if row not in verdicts or not verdicts[row].judged]
            try:
                verdicts.update(self._post(left, until))
            except NoVerdict as error:
                verdicts.update({row: Verdict("infra", str(error)) for row in left})
                return verdicts
            if all(verdicts[row].judged for row in rows) or time.monotonic() + pause > until:
                return verdicts
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _post(self, rows: Sequence[Row], until: float) -> dict[Row, Verdict]:
        body = json.dumps({"rows": [_wire(str(place), row) for place, row in enumerate(rows)]}).encode()
        answer = self._ask("POST", "/api/verify", body, lambda found: _read_results(found, len(rows)), until)
        return dict(zip(rows, answer, strict=True))

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None,
        read: Callable[[Any], Read],
        until: float | None = None,
    ) -> Read:
        """Retries after broken connections, temporary statuses and unreadable answers; then raises `NoVerdict`."""
        until = time.monotonic() + self._patience if until is None else until
        pause = FIRST_PAUSE_SECONDS
        while True:
            wait: float | None = None
            try:
                status, text, wait = self._request(method, path, body)
                if status == 200:
                    return read(json.loads(text))
                problem = f"status {status}: {_detail(text)}"
                if status not in PASSING:
                    raise VerifierError(f"{self._url.geturl()}{path}: {problem}")
            except (OSError, http.client.HTTPException, ValueError) as error:
                problem = f"{type(error).__name__}: {error}"
            wait = max(wait or 0.0, pause * random.uniform(0.5, 1.0))
            if time.monotonic() + wait > until:
                raise NoVerdict(f"{self._url.geturl()} gave no verdict for {self._patience:.0f} s; last: {problem}")
            time.sleep(wait)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            if self._server is not None:
                self._server.revive()

    def _request(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes, float | None]:
        """Returns the status, the answer, and the seconds after which the server wants another request."""
        assert self._url.hostname is not None
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname, self._url.port, timeout=self._timeout)
        try:
            headers = {"Content-Type": "application/json"}
            if self._key is not None:
                headers["Authorization"] = f"Bearer {self._key}"
            connection.request(method, self._url.path.rstrip("/") + path, body, headers)
            response = connection.getresponse()
            text = response.read(RESPONSE_BYTES_MAX)
            wait = response.getheader("Retry-After", "")
            return response.status, text, float(wait) if wait.isdigit() else None
        finally:
            connection.close()


def _wire(place: str, row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": place, "header": row.header, "statement": row.statement}
    if row.proof is not None:
        return {**fields, "proof": row.proof}
    more = {"answer": row.answer, "format": row.format, "finish": row.finish, "when_changed": row.when_changed}
    return {**fields, **more}


def _read_results(found: Any, count: int) -> list[Verdict]:
    """Reads the results. Raises `ValueError` unless there is one result per row, in order."""
    results = found["results"] if isinstance(found, dict) and isinstance(found.get("results"), list) else []
    if [result.get("id") if isinstance(result, dict) else None for result in results] != [str(n) for n in range(count)]:
        raise ValueError("the server's answer is not one result per row")
    names = Verdict.__dataclass_fields__
    verdicts = [Verdict(**{key: value for key, value in result.items() if key in names}) for result in results]
    if not all(isinstance(verdict.verdict, str) for verdict in verdicts):
        raise ValueError("a result has no verdict")
    return [replace(verdict, axioms=tuple(verdict.axioms), checks=tuple(verdict.checks)) for verdict in verdicts]


def _detail(text: bytes) -> str:
    """Returns the server's description of an error, shortened."""
    try:
        found = json.loads(text)
        said = found["detail"]
        said = said if isinstance(said, str) else "; ".join(f"{_place(part['loc'])}: {part['msg']}" for part in said)
    except (ValueError, TypeError, KeyError):
        said = text.decode(errors="replace")
    return said[:400]


def _place(loc: Sequence[Any]) -> str:
    return ".".join(str(step) for step in loc)
