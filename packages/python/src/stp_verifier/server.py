"""A private `bin/stp lean serve`: starts on a free port, restarts if it dies, and always ends with this process."""

from __future__ import annotations

import collections
import http.client
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

#: The first start compiles the library and may fetch Lean.
START_SECONDS = 900.0
STOP_SECONDS = 60.0
LOOK_SECONDS = 0.2
LINES_KEPT = 40
WATCH = os.path.join(os.path.dirname(__file__), "_watch.py")


class LeanServer:
    """Starts the command and waits until it serves. Raises `RuntimeError` with its last lines if it ends before."""

    def __init__(self, stp: str | Sequence[str] = "bin/stp", arguments: Sequence[str] = ()) -> None:
        words = [stp] if isinstance(stp, str) else list(stp)
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [*words, "lean", "serve", "--host", "127.0.0.1", "--port", str(self.port), *arguments]
        self._lock = threading.Lock()
        self._closed = False
        self._said: collections.deque[str] = collections.deque(maxlen=LINES_KEPT)
        self._process = self._start()

    @property
    def pid(self) -> int | None:
        """Returns the pid of the command."""
        found = (re.fullmatch(r"pid (\d+)", line) for line in self._said)
        return next((int(match[1]) for match in found if match), None)

    def revive(self) -> None:
        """Starts the command again if it has ended."""
        with self._lock:
            if not self._closed and self._process.poll() is not None:
                self._process = self._start()

    def close(self) -> None:
        """Lets the server finish its current requests, and ends it."""
        with self._lock:
            self._closed = True
            if self._process.poll() is not None:
                return
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _start(self) -> subprocess.Popen[str]:
        self._said.clear()
        process = subprocess.Popen(
            [sys.executable, WATCH, *self._command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        until = time.monotonic() + START_SECONDS
        try:
            while not self._serves():
                if process.poll() is not None:
                    raise RuntimeError(f"{' '.join(self._command)} ended with {process.returncode}: {self._last_words()}")
                if time.monotonic() > until:
                    raise RuntimeError(f"{' '.join(self._command)} does not serve: {self._last_words()}")
                time.sleep(LOOK_SECONDS)
        except BaseException:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()
            raise
        return process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._said.append(line.rstrip())

    def _last_words(self) -> str:
        return "\n".join(self._said)

    def _serves(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
