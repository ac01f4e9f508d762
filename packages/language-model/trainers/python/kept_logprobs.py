"""
Log-probabilities of all targets under weights that do not change during a training: its first weights, and its
reference model. They are computed once and kept in the state folder, if there is one. A damaged file, or one of another
training, is ignored.
"""

import json
import os
import zlib

import numpy
import torch
from failure import unwritable
from training_state import write_replacing


def kept_logprobs(name, directory, request_hash, group, compute, length):
    """Float64 [targets], in the order of the sequences. Every process calls it. `compute` has no side effects."""
    path = None if directory is None else os.path.join(directory, f"logprobs-{name}.bin")
    found = None if path is None else read(path, request_hash, length)
    if group.all_agree(found is not None):
        return found
    # Rounds the values as a resumed training would read them.
    values = compute().float().double()
    if path is not None and group.is_first_of_node:
        content = values.numpy().astype("<f4").tobytes()
        header = {"request": request_hash, "crc32": zlib.crc32(content)}
        try:
            os.makedirs(directory, exist_ok=True)
            write_replacing(path, json.dumps(header).encode() + b"\n" + content)
        except OSError as error:
            raise unwritable(path, error)
    return values


def read(path, request_hash, length):
    try:
        with open(path, "rb") as file:
            header, content = json.loads(file.readline()), file.read()
    except (OSError, ValueError):
        return None
    if not isinstance(header, dict) or header.get("request") != request_hash or header.get("crc32") != zlib.crc32(content):
        return None
    values = torch.from_numpy(numpy.frombuffer(content, "<f4").astype("float64"))
    return values if len(values) == length else None
