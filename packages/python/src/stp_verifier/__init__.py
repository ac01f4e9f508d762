"""Verdicts on Lean 4 proofs, and rewards made of them. The judge is a running `bin/stp lean serve`."""

from .rewards import LeanReward, message_text
from .server import LeanServer
from .verifier import NoVerdict, Row, Verdict, Verifier, VerifierError

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
