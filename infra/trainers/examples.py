"""
Training examples (JSON Lines of `Example`, data/schemas/records.ts) as token ids in a separate file. Memory holds the
place, the lengths and the weight of an example; a step reads the tokens when it needs them.
"""

import json
import math
import mmap
import os
from array import array

from failure import Failure, invalid_request

# Longest line; statements and proofs are capped at some tens of kilobytes.
LINE_BYTES_MAX = 1 << 20
EXAMPLES_PER_ENCODING = 512
TOKEN_BYTES = 4
FIELDS = {"prompt", "target", "weight", "role"}
ADVICE = "Each line must be an example {prompt, target, weight, role} with a prompt and a weight of 0 or more."


def read_examples(path):
    """Yields (prompt, target, weight) of each line. Failure STP1501 names the first bad line."""
    try:
        file = open(path, "rb")
    except OSError as error:
        raise invalid_request(f"examples {path} cannot be read: {error}", "Give the path of a JSON Lines file.")
    with file:
        number = 0
        while line := file.readline(LINE_BYTES_MAX + 1):
            number += 1
            place = f"{path}:{number}"
            if len(line) > LINE_BYTES_MAX:
                raise Failure("STP1501", f"{place}: longer than {LINE_BYTES_MAX} bytes", ADVICE)
            if line.strip():
                yield parse_example(line, place)


def parse_example(line, place):
    try:
        example = json.loads(line.decode("utf-8"))
    except ValueError:
        raise Failure("STP1501", f"{place}: not JSON", ADVICE)
    if not isinstance(example, dict) or set(example) != FIELDS:
        raise Failure("STP1501", f"{place}: no object of the fields {', '.join(sorted(FIELDS))}", ADVICE)
    prompt, target, weight = example["prompt"], example["target"], example["weight"]
    if not isinstance(prompt, str) or not isinstance(target, str) or prompt == "":
        raise Failure("STP1501", f"{place}: prompt and target must be texts, the prompt not empty", ADVICE)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not math.isfinite(weight) or weight < 0:
        raise Failure("STP1501", f"{place}: the weight is {weight!r}", ADVICE)
    if example["role"] not in ("prover", "conjecturer"):
        raise Failure("STP1501", f"{place}: the role is {example['role']!r}", ADVICE)
    return prompt, target, float(weight)


class TokenisedExamples:
    """Prompt, target and end-of-text of each example of positive weight that fits the context; `too_long` of them do not."""

    def __init__(self, tokens_path, index):
        self.starts = array("Q", index["starts"])
        self.prompt_lengths = array("I", index["promptLengths"])
        self.weights = array("d", index["weights"])
        self.too_long = index["tooLong"]
        self.lengths = array("I", (self.starts[at + 1] - self.starts[at] for at in range(len(self.weights))))
        self._file = open(tokens_path, "rb")
        self._tokens = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) if len(self.weights) else b""

    def __len__(self):
        return len(self.weights)

    def tokens(self, index):
        """Token ids as an array of unsigned 32-bit numbers."""
        return array("I", self._tokens[self.starts[index] * TOKEN_BYTES : self.starts[index + 1] * TOKEN_BYTES])

    def target_weight(self, indices):
        """Sum of the weights of the scored tokens."""
        return sum((self.lengths[at] - self.prompt_lengths[at]) * self.weights[at] for at in indices)


def tokenise(examples_path, directory, name, tokenizer, end_id, context_length):
    """Writes `name.tokens` and `name.index` into `directory`. The index is written last and under its name at once."""
    starts, prompt_lengths, weights = array("Q", [0]), array("I"), array("d")
    too_long = 0
    with open(os.path.join(directory, f"{name}.tokens"), "wb") as tokens:
        for prompts, targets, of_batch in batches_of(read_examples(examples_path)):
            # A tokenizer from elsewhere may begin a text with a token of its own; ours do not.
            encoded = tokenizer.encode_batch(prompts, add_special_tokens=True)
            completions = tokenizer.encode_batch(targets, add_special_tokens=False)
            for prompt, completion, weight in zip(encoded, completions, of_batch):
                ids = [*prompt.ids, *completion.ids, end_id]
                if len(ids) > context_length:
                    too_long += 1
                    continue
                tokens.write(array("I", ids).tobytes())
                starts.append(starts[-1] + len(ids))
                prompt_lengths.append(len(prompt.ids))
                weights.append(weight)
    index_path = os.path.join(directory, f"{name}.index")
    with open(f"{index_path}.partial", "wb") as file:
        header = {"count": len(weights), "tooLong": too_long}
        file.write(json.dumps(header).encode() + b"\n")
        for part in (starts, prompt_lengths, weights):
            part.tofile(file)
    os.replace(f"{index_path}.partial", index_path)


def open_tokenised(directory, name):
    with open(os.path.join(directory, f"{name}.index"), "rb") as file:
        header = json.loads(file.readline())
        count = header["count"]
        parts = {"starts": ("Q", count + 1), "promptLengths": ("I", count), "weights": ("d", count)}
        index = {"tooLong": header["tooLong"]}
        for part, (code, length) in parts.items():
            index[part] = array(code)
            index[part].fromfile(file, length)
    return TokenisedExamples(os.path.join(directory, f"{name}.tokens"), index)


def batches_of(examples):
    """Examples of positive weight, some hundred at once: the tokenizer takes them on all cores. Weight 0 trains nothing."""
    prompts, targets, weights = [], [], []
    for prompt, target, weight in examples:
        if weight == 0:
            continue
        prompts.append(prompt)
        targets.append(target)
        weights.append(weight)
        if len(prompts) == EXAMPLES_PER_ENCODING:
            yield prompts, targets, weights
            prompts, targets, weights = [], [], []
    if prompts:
        yield prompts, targets, weights
