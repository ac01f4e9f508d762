"""Rewards from verdicts, as functions that TRL's trainers call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .rows import Row, Verdict
from .verifier import Verifier


def message_text(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """Returns the text that a model wrote: the completion itself, or its last message."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    if isinstance(content, str):
        return content
    parts = content or []
    return "".join(part if isinstance(part, str) else str(part.get("text") or "") for part in parts)


class LeanReward:
    """A reward function for `reward_funcs` of `GRPOTrainer`: 1.0 for a proof, 0.0 for none, None without a verdict.

    The data set has a column `statement` (`theorem NAME BINDERS : TYPE`), and may have a column `header`. `format`, a
    prompt format of the server, says how a completion is read. A completion that states another theorem gets 0.0;
    `when_changed="ours"` tries its proof under the given statement instead.
    """

    def __init__(
        self,
        verifier: Verifier,
        format: str,
        *,
        statement: str = "statement",
        header: str = "header",
        when_changed: str | None = "refuse",
        score: Callable[[Verdict], float] = lambda verdict: float(verdict.proved),
    ) -> None:
        """Takes the names of the columns `statement` and `header`. `score` converts a verdict, never a missing one."""
        self._verifier = verifier
        self._format = format
        self._statement = statement
        self._header = header
        self._when_changed = when_changed
        self._score = score
        # Trainers name their metrics after it.
        self.__name__ = "lean_reward"

    def verdicts(
        self,
        statements: Sequence[str],
        completions: Sequence[str | Sequence[Mapping[str, Any]]],
        headers: Sequence[str | None] | None = None,
    ) -> list[Verdict]:
        """Returns one verdict per completion, in order."""
        headers = headers if headers is not None else [None] * len(statements)
        return self._verifier.verify(
            Row(
                statement,
                answer=message_text(completion),
                format=self._format,
                header=header,
                when_changed=self._when_changed,
            )
            for statement, completion, header in zip(statements, completions, headers, strict=True)
        )

    def score(self, verdict: Verdict) -> float | None:
        """Returns the score of a verdict; None if nobody could judge."""
        return self._score(verdict) if verdict.judged else None

    def __call__(
        self,
        completions: Sequence[str | Sequence[Mapping[str, Any]]],
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Scores completions as TRL asks; further columns of the data set are lists with one entry per completion."""
        if self._statement not in columns:
            raise KeyError(f"the data set has no column {self._statement!r}: LeanReward(statement=...) names another one")
        verdicts = self.verdicts(columns[self._statement], completions, columns.get(self._header))
        if log_metric is not None:
            log_metric("lean/proved", sum(verdict.proved for verdict in verdicts) / max(1, len(verdicts)))
            log_metric("lean/not_judged", float(sum(not verdict.judged for verdict in verdicts)))
        return [self.score(verdict) for verdict in verdicts]
