"""
Training records by objective (JSON Lines, packages/config/schemas/objectives/index.ts): the texts of a record, and its
numbers. A text is a prompt and a target; the loss depends on the log-probabilities of the targets.
"""

import json
import math

from failure import Failure, invalid_request

# Longest line. Statements and proofs have at most some tens of kilobytes.
LINE_BYTES_MAX = 1 << 20
ADVICE = "Each line must be a record of the objective (packages/config/schemas/objectives/index.ts), with prompts that are not empty."
ROLES = ("prover", "conjecturer")
LIKELIHOOD = {"kind": "likelihood"}


def read_rows(path, objective):
    """
    Yields (sequences, numbers, weight) of each line; a sequence is (prompt, target). STP1501 names the first bad line.
    """
    try:
        file = open(path, "rb")
    except OSError as error:
        raise invalid_request(f"examples {path} cannot be read: {error}", "Give the path of a JSON Lines file.")
    parse = PARSERS[objective["kind"]]
    with file:
        number = 0
        while line := file.readline(LINE_BYTES_MAX + 1):
            number += 1
            place = f"{path}:{number}"
            if len(line) > LINE_BYTES_MAX:
                raise Failure("STP1501", f"{place}: longer than {LINE_BYTES_MAX} bytes", ADVICE)
            if line.strip():
                yield parse_row(line, place, objective, parse)


def parse_row(line, place, objective, parse):
    try:
        row = json.loads(line.decode("utf-8"))
    except ValueError:
        raise Failure("STP1501", f"{place}: not JSON", ADVICE)
    if not isinstance(row, dict):
        raise Failure("STP1501", f"{place}: no object", ADVICE)
    try:
        if row.get("role") not in ROLES:
            raise ValueError(f"the role is {row.get('role')!r}")
        weight = number_of(row, "weight", least=0)
        sequences, numbers = parse(row, objective)
        if any(prompt == "" for prompt, _ in sequences):
            raise ValueError("the prompt is empty")
    except ValueError as error:
        raise Failure("STP1501", f"{place}: {error}", ADVICE)
    return sequences, numbers, weight


def example_of(row, objective):
    texts = texts_of(row, ("prompt", "target"), ("weight", "role"))
    return [texts], None


def policy_example_of(row, objective):
    texts = texts_of(row, ("prompt", "target"), ("weight", "role", "advantage", "logprob"))
    logprob = None if row["logprob"] is None else number_of(row, "logprob")
    return [texts], {"advantage": number_of(row, "advantage"), "logprob": logprob}


def preference_of(row, objective):
    prompt, chosen, rejected = texts_of(row, ("prompt", "chosen", "rejected"), ("weight", "role"))
    return [(prompt, chosen), (prompt, rejected)], None


def flow_group_of(row, objective):
    """Reads a group. Its sequences are, by trajectory, first the steps, then the stops that the balance needs."""
    texts_of(row, ("group",), ("weight", "role", "trajectories"))
    if not isinstance(row["trajectories"], list) or not row["trajectories"]:
        raise ValueError("no list of trajectories")
    sequences, trajectories = [], []
    for trajectory in row["trajectories"]:
        states, targets = of_type(trajectory, "states", list), of_type(trajectory, "targets", list)
        if len(states) < 2 or len(targets) != len(states) - 1 or not all(isinstance(text, str) for text in targets):
            raise ValueError("there must be one target less than states")
        prompts = [of_type(state, "prompt", str) for state in states]
        stops = [None if state.get("stop") is None else of_type(state, "stop", str) for state in states]
        if objective["balance"] != "subtrajectory":
            stops = [None] * (len(stops) - 1) + stops[-1:]
        sequences += zip(prompts, targets)
        sequences += [(prompt, stop) for prompt, stop in zip(prompts, stops) if stop is not None]
        trajectories.append(
            {
                "logRewards": [number_of(state, "logReward") for state in states],
                "logBackward": [number_of(state, "logBackward") for state in states],
                "stops": [stop is not None for stop in stops],
            }
        )
    return sequences, {"group": row["group"], "trajectories": trajectories}


PARSERS = {"likelihood": example_of, "grpo": policy_example_of, "dpo": preference_of, "gfn": flow_group_of}


def texts_of(row, texts, others):
    if set(row) != {*texts, *others}:
        raise ValueError(f"no object of the fields {', '.join(sorted((*texts, *others)))}")
    return tuple(of_type(row, name, str) for name in texts)


def of_type(row, name, kind):
    if not isinstance(row, dict) or not isinstance(row.get(name), kind):
        raise ValueError(f"{name} is {row.get(name) if isinstance(row, dict) else None!r}")
    return row[name]


def number_of(row, name, least=-math.inf):
    value = row.get(name) if isinstance(row, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < least:
        raise ValueError(f"the {name} is {value!r}")
    return float(value)
