"""Runs a command and ends it at the end of standard input, so that a killed parent leaves no command behind.

`python -m stp_verifier._watch COMMAND…`
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

STOP_SECONDS = 40.0


def main() -> int:
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    print(f"pid {child.pid}", flush=True)
    threading.Thread(target=_end_with_input, args=(child,), daemon=True).start()
    return child.wait()


def _end_with_input(child: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1):
        pass
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()


if __name__ == "__main__":
    sys.exit(main())
