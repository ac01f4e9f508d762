"""
Writes examples as Levanter's `prebuilt` rows: token ids of exactly the context's length and, for each, the weight of
the token after it (Levanter's loss is of the next token). Several examples share a row, separated by the end-of-text
token, which also fills the rest of a row at weight 0. `python levanter_rows.py --request FILE` reports its output in a
JSON line.
"""

import argparse
import gzip
import json
import os
import shutil
import tempfile

from failure import Failure
from reports import Reports

# Number of examples packed together: enough for nearly full rows, and memory stays bounded.
WINDOW = 4096
ROWS_PER_FILE = 8192


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--request", required=True)
    arguments = parser.parse_args()
    reports = Reports(speaks=True)
    try:
        with open(arguments.request, encoding="utf-8") as file:
            write_all(json.load(file), reports)
    except Failure as failure:
        reports.failed(failure)
        raise SystemExit(1)


def write_all(request, reports):
    from checkpoint_folder import read_config
    from records import LIKELIHOOD
    from tokenizers import Tokenizer
    from training_set import open_tokenised, tokenise

    config = read_config(request["initDirectory"])
    context = request["contextLength"]
    tokenizer = Tokenizer.from_file(os.path.join(request["initDirectory"], "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    os.makedirs(request["rowsDirectory"], exist_ok=True)
    work = tempfile.mkdtemp(prefix="tokens-", dir=request["rowsDirectory"])
    said = {}
    try:
        for name, path in (("train", request["examplesPath"]), ("held-out", request["heldOutPath"])):
            if path is None:
                said[name] = {"files": [], "rows": 0, "examples": 0, "tokens": 0, "tooLong": 0}
                continue
            tokenise(path, work, name, LIKELIHOOD, tokenizer, config.end_id, context)
            examples = open_tokenised(work, name)
            wanted = request["rowsWanted"] if name == "train" and len(examples) > 0 else 0
            said[name] = write_rows(examples, context, config.end_id, request["seed"], request["rowsDirectory"], name, wanted)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    reports.send("rows", train=said["train"], heldOut=said["held-out"])


def packed_rows(examples, context, seed, wanted):
    """Yields lists of rows, epoch after epoch, each in a new order, until there are at least `wanted` rows."""
    from rows import pack_rows
    from seeded_order import EPOCH_SEED_STRIDE, shuffled_order

    rows, epoch = 0, 0
    while rows < wanted or epoch == 0:
        order = shuffled_order(len(examples), seed + epoch * EPOCH_SEED_STRIDE)
        for first in range(0, len(order), WINDOW):
            packed = pack_rows(order[first : first + WINDOW], examples.lengths, context, context)
            rows += len(packed)
            yield [indices for _, indices in packed]
        epoch += 1


def write_rows(examples, context, end_id, seed, directory, name, wanted):
    files, rows, tokens = [], 0, 0
    file = None
    if len(examples) > 0:
        for packed in packed_rows(examples, context, seed, wanted):
            for indices in packed:
                if rows % ROWS_PER_FILE == 0:
                    if file is not None:
                        file.close()
                    files.append(f"{name}-{len(files):05d}.jsonl.gz")
                    # The file contains no time and no name, so equal rows give equal bytes.
                    raw = open(os.path.join(directory, files[-1]), "wb")
                    file = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=3)
                ids, weights = row_of(indices, examples, context, end_id)
                file.write((json.dumps({"input_ids": ids, "loss_weights": weights}, separators=(",", ":")) + "\n").encode())
                rows += 1
                tokens += sum(examples.lengths[index] for index in indices)
    if file is not None:
        file.close()
        raw.close()
    return {
        "files": files,
        "rows": rows,
        "examples": len(examples),
        "tokens": tokens,
        "tooLong": examples.too_long,
    }


def row_of(indices, examples, context, end_id):
    ids, weights = [], []
    for index in indices:
        tokens = examples.tokens(index)
        prompt = examples.prompt_lengths[index]
        ids.extend(tokens)
        scored = len(tokens) - prompt
        # The last prompt token predicts the first target token; the end predicts nothing.
        weights.extend([0.0] * (prompt - 1) + [examples.weights[index]] * scored + [0.0])
    missing = context - len(ids)
    return ids + [end_id] * missing, weights + [0.0] * missing


if __name__ == "__main__":
    main()
