"""The request of a training: read from a file, checked, and named by all inputs that its weights depend on."""

import hashlib
import json
import math

from failure import invalid_request

# Raised when the arithmetic of training changes: states kept before are then left alone.
ARITHMETIC_VERSION = 1
REQUEST_BYTES_MAX = 1 << 20
RECIPE = (
    "steps", "tokensPerStep", "learningRate", "warmupSteps", "schedule", "weightDecay", "gradientClipNorm", "seed",
    "device", "precision", "parallelism", "microBatchTokens",
)
WHOLE_FROM = {
    "steps": 1, "tokensPerStep": 1, "warmupSteps": 0, "seed": 0, "heldOutEverySteps": 1, "microBatchTokens": 1, "threads": 1,
}
FROM_ZERO = ("learningRate", "weightDecay", "gradientClipNorm", "keepStateSeconds")
CHOICES = {
    "schedule": ("constant", "linear"),
    "device": ("cpu", "cuda"),
    "precision": ("float32", "bfloat16"),
    "parallelism": ("replicated", "fsdp"),
}
PATHS = ("examplesPath", "initDirectory", "outputDirectory", "workDirectory")
PATHS_OR_NONE = ("stateDirectory", "heldOutPath", "parent")


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
    wrong += ["recomputeActivations"] if not isinstance(request.get("recomputeActivations"), bool) else []
    wrong += ["contextLength"] if not is_whole(request.get("contextLength"), 2) else []
    if wrong:
        raise invalid_request(f"request {path}: {', '.join(f'{name} is {request.get(name)!r}' for name in wrong)}")
    return request


def is_whole(value, least):
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def request_hash(request, model, processes):
    """SHA-256 of the recipe, the weights it starts from, the examples' bytes and the number of processes."""
    recipe = [[name, request[name]] for name in RECIPE]
    head = [ARITHMETIC_VERSION, processes, model, request["contextLength"], recipe]
    digest = hashlib.sha256(json.dumps(head).encode())
    with open(request["examplesPath"], "rb") as file:
        while part := file.read(1 << 24):
            digest.update(part)
    return digest.hexdigest()
