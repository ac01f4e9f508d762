"""Questions and answers of the client: rows, verdicts, and errors, which are no verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class VerifierError(Exception):
    """The server refuses the request: wrong key, unknown format, or invalid row."""


class NoVerdict(VerifierError):
    """Nobody could judge: the server was not reached in time, or Lean could not be run. It says nothing about the proof."""


@dataclass(frozen=True)
class Row:
    """A statement with a proof, or with a model's answer and the format to read it by."""

    #: `theorem NAME BINDERS : TYPE`, without `:=`.
    statement: str
    #: The tactic block behind `:= by`.
    proof: str | None = None
    #: A model's answer, instead of `proof`.
    answer: str | None = None
    #: A prompt format of the server, such as `goedel-prover-v2`.
    format: str | None = None
    #: Imports, opens and definitions above the statement; None: those of the server's library.
    header: str | None = None
    #: `length`: the answer ended at its token limit.
    finish: str = "stop"
    #: For an answer that states another theorem: `ours` tries its proof under `statement`, `refuse` does not.
    #: None: as the format says.
    when_changed: str | None = None

    def __post_init__(self) -> None:
        if (self.proof is None) == (self.answer is None):
            raise ValueError("a row has one of proof and answer")
        if self.answer is not None and self.format is None:
            raise ValueError("a row with an answer needs the format to read it by")


@dataclass(frozen=True)
class Verdict:
    """The verdict on one row. docs/verify.md explains each one."""

    verdict: str
    #: Reason why it is not proved; empty if it is.
    message: str = ""
    #: If it is proved, all axioms that the compiled theorem rests on.
    axioms: tuple[str, ...] = ()
    #: If it is proved, one record per check: `by`, `version`, `outcome`, `ms`.
    checks: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    #: The tactic block that was judged.
    proof: str | None = None
    #: The answer states another theorem.
    changed: bool = False
    #: Commands of the answer that were left out when the proof was tried.
    dropped: str | None = None

    @property
    def proved(self) -> bool:
        return self.verdict == "proved"

    @property
    def judged(self) -> bool:
        """Whether anybody could judge."""
        return self.verdict != "infra"
