"""Score functions for veRL. Name this file in its configuration:

    reward.custom_reward_function.path=.../stp_verifier/verl.py
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.format=goedel-prover-v2

With `reward_manager.name=batch` use `name=compute_scores`. `STP_VERIFIER_URL` and `STP_VERIFIER_KEY` are the server's
address and key. `ground_truth` of a row is its statement; `extra_info` may have its `header`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from stp_verifier import NoVerdict, Row, Verdict, Verifier


@functools.cache
def _verifier() -> Verifier:
    return Verifier(os.environ.get("STP_VERIFIER_URL", "http://127.0.0.1:8000"), key=os.environ.get("STP_VERIFIER_KEY"))


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    *,
    format: str,
    when_changed: str | None = "refuse",
    **_: Any,
) -> dict[str, Any]:
    """Returns the score of one solution. Raises `NoVerdict` if nobody could judge: veRL knows no missing score."""
    extras = None if extra_info is None else [extra_info]
    options: dict[str, Any] = {"format": format, "when_changed": when_changed}
    return compute_scores([data_source], [solution_str], [ground_truth], extras, **options)[0]


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    *,
    format: str,
    when_changed: str | None = "refuse",
    **_: Any,
) -> list[dict[str, Any]]:
    """Returns the scores of a batch, in order. Raises like `compute_score`; then no score of the batch counts."""
    extras = extra_infos if extra_infos is not None else [None] * len(solution_strs)
    rows = [
        Row(
            statement,
            answer=solution,
            format=format,
            header=(extra or {}).get("header"),
            when_changed=when_changed,
        )
        for solution, statement, extra in zip(solution_strs, ground_truths, extras, strict=True)
    ]
    return [_scored(verdict) for verdict in _verifier().verify(rows)]


def _scored(verdict: Verdict) -> dict[str, Any]:
    if not verdict.judged:
        raise NoVerdict(verdict.message)
    return {"score": float(verdict.proved), "verdict": verdict.verdict}
