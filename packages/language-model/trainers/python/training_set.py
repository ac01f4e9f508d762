"""
Training records as token ids in a separate file. Memory holds the offset and the lengths of each sequence, and the
weight and the numbers of each record. A step reads the tokens when it needs them.
"""

import json
import mmap
import os
from array import array

from records import read_rows

RECORDS_PER_ENCODING = 512
TOKEN_BYTES = 4


class TrainingSet:
    """
    Prompt, target and end-of-text of each sequence, for records that have a weight and fit the context. `too_long`
    counts those that do not fit. A likelihood record is one sequence.
    """

    def __init__(self, tokens_path, index, numbers):
        self.starts = array("Q", index["starts"])
        self.prompt_lengths = array("I", index["promptLengths"])
        # Index of the first sequence of each record, and the number of sequences at the end.
        self.firsts = array("Q", index["firsts"])
        self.weights = array("d", index["weights"])
        self.numbers = numbers
        self.too_long = index["tooLong"]
        self.lengths = array("I", (self.starts[at + 1] - self.starts[at] for at in range(len(self.prompt_lengths))))
        self.record_lengths = array(
            "Q", (self.starts[self.firsts[at + 1]] - self.starts[self.firsts[at]] for at in range(len(self.weights)))
        )
        self._file = open(tokens_path, "rb")
        self._tokens = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) if len(self.weights) else b""

    def __len__(self):
        """Number of records."""
        return len(self.weights)

    def tokens(self, sequence):
        """Token ids of a sequence, as an array of unsigned 32-bit integers."""
        return array("I", self._tokens[self.starts[sequence] * TOKEN_BYTES : self.starts[sequence + 1] * TOKEN_BYTES])

    def target_length(self, sequence):
        return self.lengths[sequence] - self.prompt_lengths[sequence]

    def target_starts(self):
        """Offset of each sequence's target tokens among all target tokens, and their total at the end."""
        starts = array("Q", [0])
        for at in range(len(self.prompt_lengths)):
            starts.append(starts[-1] + self.target_length(at))
        return starts

    def sequences_of(self, record):
        return range(self.firsts[record], self.firsts[record + 1])


def tokenise(path, directory, name, objective, tokenizer, end_id, context_length):
    """Writes `name.tokens`, `name.numbers` and, last and atomically, `name.index` into `directory`."""
    starts, prompt_lengths, firsts, weights = array("Q", [0]), array("I"), array("Q", [0]), array("d")
    too_long = 0
    with (
        open(os.path.join(directory, f"{name}.tokens"), "wb") as tokens,
        open(os.path.join(directory, f"{name}.numbers"), "w", encoding="utf-8") as numbers_file,
    ):
        for rows in batches_of(read_rows(path, objective)):
            texts = [sequence for sequences, _, _ in rows for sequence in sequences]
            # Foreign tokenizers may begin a text with a special token; ours do not.
            prompts = iter(tokenizer.encode_batch([prompt for prompt, _ in texts], add_special_tokens=True))
            targets = iter(tokenizer.encode_batch([target for _, target in texts], add_special_tokens=False))
            for sequences, numbers, weight in rows:
                encoded = [(next(prompts).ids, next(targets).ids) for _ in sequences]
                if any(len(prompt) + len(target) + 1 > context_length for prompt, target in encoded):
                    too_long += 1
                    continue
                for prompt, target in encoded:
                    ids = [*prompt, *target, end_id]
                    tokens.write(array("I", ids).tobytes())
                    starts.append(starts[-1] + len(ids))
                    prompt_lengths.append(len(prompt))
                firsts.append(len(prompt_lengths))
                weights.append(weight)
                if numbers is not None:
                    numbers_file.write(json.dumps(numbers) + "\n")
    index_path = os.path.join(directory, f"{name}.index")
    with open(f"{index_path}.partial", "wb") as file:
        header = {"sequences": len(prompt_lengths), "records": len(weights), "tooLong": too_long}
        file.write(json.dumps(header).encode() + b"\n")
        for part in (starts, prompt_lengths, firsts, weights):
            part.tofile(file)
    os.replace(f"{index_path}.partial", index_path)


def open_tokenised(directory, name):
    with open(os.path.join(directory, f"{name}.index"), "rb") as file:
        header = json.loads(file.readline())
        sequences, records = header["sequences"], header["records"]
        parts = {
            "starts": ("Q", sequences + 1),
            "promptLengths": ("I", sequences),
            "firsts": ("Q", records + 1),
            "weights": ("d", records),
        }
        index = {"tooLong": header["tooLong"]}
        for part, (code, length) in parts.items():
            index[part] = array(code)
            index[part].fromfile(file, length)
    with open(os.path.join(directory, f"{name}.numbers"), encoding="utf-8") as file:
        numbers = [json.loads(line) for line in file]
    return TrainingSet(os.path.join(directory, f"{name}.tokens"), index, numbers)


def batches_of(rows):
    """Yields batches of some hundred rows, which the tokenizer encodes on all cores. Rows of weight 0 are left out."""
    batch = []
    for row in rows:
        if row[2] == 0:
            continue
        batch.append(row)
        if len(batch) == RECORDS_PER_ENCODING:
            yield batch
            batch = []
    if batch:
        yield batch
