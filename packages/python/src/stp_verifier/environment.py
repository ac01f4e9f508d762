"""An environment of `verifiers` (prime-rl) whose rubric is the judge. Needs the package `verifiers`.

In a plain rubric a failing reward function counts as zero. This rubric raises `verifiers.InfraError` instead.
`verifiers` then tries again (`max_retries`), and never turns the error into a score.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import verifiers as vf

from .rewards import LeanReward
from .rows import Verdict
from .verifier import Verifier

if not hasattr(vf, "Rubric"):
    raise ImportError(
        f"verifiers {vf.__version__} has no rubrics: pip install 'verifiers>=0.3,<0.4' (docs/integrations.md)"
    )


class LeanRubric(vf.Rubric):
    """Scores rollouts by the verdicts on their last message. A group's rollouts go to the judge as one batch."""

    def __init__(self, reward: LeanReward) -> None:
        super().__init__(funcs=[_proved])
        self._reward = reward

    async def score_rollout(self, state: vf.State) -> None:
        await self.score_group([state])

    async def score_group(self, states: list[vf.State]) -> None:
        infos = [state.get("info") or {} for state in states]
        verdicts = await asyncio.to_thread(
            self._reward.verdicts,
            [info["statement"] for info in infos],
            [_plain(state["completion"]) for state in states],
            [info.get("header") for info in infos],
        )
        scores = [self._reward.score(verdict) for verdict in verdicts]
        if None in scores:
            raise vf.InfraError(next(verdict.message for verdict in verdicts if not verdict.judged))
        mean = sum(score or 0.0 for score in scores) / max(1, len(scores))
        for state, verdict, score in zip(states, verdicts, scores, strict=True):
            _set_score(state, verdict, score or 0.0, mean)


def _proved(completion: Any) -> float:
    """Gives the metric its name; the rubric computes the score."""
    raise NotImplementedError


def _plain(completion: Any) -> Any:
    """Converts messages to mappings; `verifiers` passes them as models."""
    if isinstance(completion, str):
        return completion
    return [one if isinstance(one, dict) else one.model_dump() for one in completion]


def _set_score(state: vf.State, verdict: Verdict, score: float, mean: float) -> None:
    state["reward"] = score
    state["metrics"] = {"proved": float(verdict.proved), "changed_statement": float(verdict.changed)}
    state["advantage"] = score - mean
    for step in state.get("trajectory") or []:
        if step["advantage"] is None:
            step["advantage"] = state["advantage"]
        if step["reward"] is None:
            step["reward"] = score


def load_environment(
    rows: Sequence[dict[str, Any]],
    *,
    url: str = "http://127.0.0.1:8000",
    key: str | None = None,
    patience: float = 300.0,
    format: str = "goedel-prover-v2",
    when_changed: str | None = "refuse",
    **options: Any,
) -> vf.SingleTurnEnv:
    """Makes an environment over rows with `question` (the prompt), `statement` and, optionally, `header`.

    `url`, `key` and `patience` are those of `Verifier`; further options go to `verifiers.SingleTurnEnv`.
    """
    from datasets import Dataset

    asked = [
        {"question": row["question"], "info": {"statement": row["statement"], "header": row.get("header")}} for row in rows
    ]
    reward = LeanReward(Verifier(url, key=key, patience=patience), format, when_changed=when_changed)
    return vf.SingleTurnEnv(dataset=Dataset.from_list(asked), rubric=LeanRubric(reward), **options)
