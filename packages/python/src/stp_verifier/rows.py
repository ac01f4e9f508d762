"""What is asked and what is answered: rows, verdicts, and errors that are no verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class VerifierError(Exception):
    """The server refuses what it was asked: a wrong key, an unknown format, a row that is none."""


class NoVerdict(VerifierError):
    """Nobody could judge: the server was not reached in time, or Lean could not be run. It says nothing about the proof."""


@dataclass(frozen=True)
class Row:
    """A statement with a proof, or with a model's answer and the format to read it by."""

    #: `theorem NAME BINDERS : TYPE`, without `:=`.
    statement: str
    #: The tactic block behind `:= by`.
    proof: str | None = None
    #: In place of `proof`: what a model wrote.
    answer: str | None = None
    #: A prompt format of the server, such as `goedel-prover-v2`.
    format: str | None = None
    #: Imports, opens and definitions above the statement; None is the server's library.
    header: str | None = None
    #: `length`: the answer ended at its token limit.
    finish: str = "stop"
    #: An answer that states another theorem: `ours` tries its proof under `statement`, `refuse` does not. None: as the format says.
    when_changed: str | None = None

    def __post_init__(self) -> None:
        if (self.proof is None) == (self.answer is None):
            raise ValueError("a row has one of proof and answer")
        if self.answer is not None and self.format is None:
            raise ValueError("a row with an answer needs the format to read it by")


@dataclass(frozen=True)
class Verdict:
    """The word on one row; docs/verify.md explains each verdict."""

    verdict: str
    #: Why it is not proved; empty where it is.
    message: str = ""
    #: If it is proved, all axioms that the compiled theorem rests on.
    axioms: tuple[str, ...] = ()
    #: If it is proved, one record per check: `by`, `version`, `outcome`, `ms`.
    checks: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    #: The tactic block that was judged.
    proof: str | None = None
    #: The answer states another theorem.
    changed: bool = False
    #: Commands of the answer that the proof was tried without.
    dropped: str | None = None

    @property
    def proved(self) -> bool:
        return self.verdict == "proved"

    @property
    def judged(self) -> bool:
        """False where nobody could judge."""
        return self.verdict != "infra"
