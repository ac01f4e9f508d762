"""
Scores states by packages/python's environment: `{url, dead, rows, completions}` in, scores and errors out, as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "packages/python/src"))

import verifiers as vf  # noqa: E402
from stp_verifier.environment import LeanRubric, load_environment  # noqa: E402

given = json.load(sys.stdin)


def states(environment):
    info = environment.get_dataset()[0]["info"]
    return [
        vf.State(completion=[{"role": "assistant", "content": text}], info=info, trajectory=[])
        for text in given["completions"]
    ]


async def scored(url, **options):
    environment = load_environment(given["rows"], url=url, **options)
    # The environment adds rubrics of its own to ours.
    rubric = next(one for one in environment.rubric.rubrics if isinstance(one, LeanRubric))
    found = states(environment)
    try:
        await rubric.score_group(found)
    except vf.InfraError as error:
        return {"raised": str(error), "rewards": [state.get("reward") for state in found]}
    await rubric.score_rollout(alone := states(environment)[0])
    keys = ("reward", "advantage", "metrics")
    return {"states": [{key: state[key] for key in keys} for state in found], "alone": alone["reward"]}


async def main():
    return {"judged": await scored(given["url"]), "dead": await scored(given["dead"], patience=0.2)}


json.dump(asyncio.run(main()), sys.stdout)
