"""Verdicts on Lean 4 proofs, and rewards made from them. The judge is a running `bin/stp lean serve`."""

from .rewards import LeanReward, message_text
from .rows import NoVerdict, Row, Verdict, VerifierError
from .server import LeanServer
from .verifier import Verifier

__all__ = [
    "LeanReward",
    "LeanServer",
    "NoVerdict",
    "Row",
    "Verdict",
    "Verifier",
    "VerifierError",
    "message_text",
]
