"""
The messages of a trainer to the process that started it: JSON Lines on the original standard output. Output of
libraries goes to standard error instead, so that one of their lines is never taken for one of ours.
"""

import json
import os
import sys


class Reports:
    """The messages of one process. Only the first process of a node sends progress."""

    def __init__(self, speaks):
        self._speaks = speaks
        sys.stdout.flush()
        self._lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def send(self, kind, **fields):
        if self._speaks:
            self._lines.write(json.dumps({"type": kind, **fields}, allow_nan=False) + "\n")
            self._lines.flush()

    def failed(self, failure):
        """Reports a failure from any process, since the first to fail is often not the first of its node."""
        fields = {"code": failure.code, "message": str(failure), "advice": failure.advice}
        if failure.system_code is not None:
            fields["systemCode"] = failure.system_code
        self._lines.write(json.dumps({"type": "failed", "retryable": failure.retryable, **fields}) + "\n")
        self._lines.flush()
