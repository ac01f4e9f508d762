"""The request of a training: reads it from a file, checks it, and hashes all inputs that decide the weights."""

import hashlib
import json
import math

from failure import invalid_request

# Raised when the arithmetic of training changes, so that older states are ignored.
ARITHMETIC_VERSION = 3
REQUEST_BYTES_MAX = 1 << 20
RECIPE = (
    "steps", "tokensPerStep", "learningRate", "warmupSteps", "schedule", "weightDecay", "gradientClipNorm", "seed",
    "device", "precision", "floatMasters", "attention", "microBatchTokens", "lora", "objective",
)
WHOLE_FROM = {
    "steps": 1, "tokensPerStep": 1, "warmupSteps": 0, "seed": 0, "heldOutEverySteps": 1, "microBatchTokens": 1, "threads": 1,
}
FLAGS = ("recomputeActivations", "floatMasters")
FROM_ZERO = ("learningRate", "weightDecay", "gradientClipNorm", "keepStateSeconds")
CHOICES = {
    "schedule": ("constant", "linear"),
    "device": ("cpu", "cuda"),
    "precision": ("float32", "bfloat16"),
    "parallelism": ("replicated", "fsdp"),
    "attention": ("auto", "eager", "sdpa", "flex_attention", "flash_attention_2"),
}
PATHS = ("examplesPath", "initDirectory", "outputDirectory", "workDirectory")
PATHS_OR_NONE = ("stateDirectory", "heldOutPath", "parent", "baseDirectory", "baseName", "referenceDirectory")
# Kinds of packages/config/schemas/objectives/index.ts, where their values are checked.
OBJECTIVES = ("likelihood", "grpo", "dpo", "gfn")


def read_request(path):
    try:
        with open(path, encoding="utf-8") as file:
            request = json.loads(file.read(REQUEST_BYTES_MAX))
    except (OSError, ValueError) as error:
        raise invalid_request(f"request {path}: {error}")
    if not isinstance(request, dict):
        raise invalid_request(f"request {path} is no object")
    wrong = [name for name, least in WHOLE_FROM.items() if not is_whole(request.get(name), least)]
    wrong += [name for name in FROM_ZERO if not is_number(request.get(name)) or request[name] < 0]
    wrong += [name for name, choices in CHOICES.items() if request.get(name) not in choices]
    wrong += [name for name in PATHS if not isinstance(request.get(name), str)]
    wrong += [name for name in PATHS_OR_NONE if not isinstance(request.get(name), (str, type(None)))]
    wrong += [name for name in FLAGS if not isinstance(request.get(name), bool)]
    objective = request.get("objective")
    wrong += ["objective"] if not isinstance(objective, dict) or objective.get("kind") not in OBJECTIVES else []
    wrong += ["lora"] if not is_lora(request.get("lora")) else []
    wrong += ["contextLength"] if not is_whole(request.get("contextLength"), 2) else []
    if wrong:
        raise invalid_request(f"request {path}: {', '.join(f'{name} is {request.get(name)!r}' for name in wrong)}")
    return request


def is_lora(value):
    """
    Whether it is None or an adapter: rank, alpha, its matrices (an empty list: all), quantisation, form of the result.
    """
    if value is None:
        return True
    if not isinstance(value, dict) or set(value) != {"rank", "alpha", "targets", "quantised", "output"}:
        return False
    names = value["targets"]
    return (
        is_whole(value["rank"], 1)
        and is_number(value["alpha"])
        and isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and isinstance(value["quantised"], bool)
        and value["output"] in ("merged", "separate")
    )


def is_whole(value, least):
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def request_hash(request, models):
    """SHA-256 of the recipe, the initial weights and the bytes of the examples."""
    recipe = [[name, request[name]] for name in RECIPE]
    head = [ARITHMETIC_VERSION, models, request["contextLength"], recipe]
    digest = hashlib.sha256(json.dumps(head).encode())
    with open(request["examplesPath"], "rb") as file:
        while part := file.read(1 << 24):
            digest.update(part)
    return digest.hexdigest()
