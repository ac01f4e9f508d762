"""
Runs the PyTorch trainer's model and optimizer (packages/language-model/trainers/python) on one thread of the CPU, with
the caller's micro-batches. Reads and answers JSON lines like bench_training.py.
"""

import json
import os
import sys
import tempfile
import time
from shutil import copyfile

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "packages", "language-model", "trainers", "python"))
from checkpoint_folder import read_config  # noqa: E402
from language_model import LanguageModel  # noqa: E402
from process_group import ProcessGroup  # noqa: E402
from steps import Optimizer  # noqa: E402

torch.set_num_threads(1)
REQUEST = {
    "precision": "float32",
    "floatMasters": True,
    "attention": "auto",
    "recomputeActivations": False,
    "lora": None,
    "seed": 1,
    "parallelism": "replicated",
    "schedule": "constant",
    "warmupSteps": 0,
    "steps": 1,
}


def folder_of(shape, weights, directory):
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "dtype": "float32",
        "vocab_size": shape["vocabularySize"],
        "hidden_size": shape["hiddenSize"],
        "intermediate_size": shape["feedForwardSize"],
        "num_hidden_layers": shape["layers"],
        "num_attention_heads": shape["heads"],
        "num_key_value_heads": shape["keyValueHeads"],
        "max_position_embeddings": shape["contextLength"],
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "tie_word_embeddings": True,
        "eos_token_id": 0,
    }
    with open(os.path.join(directory, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    copyfile(weights, os.path.join(directory, "model.safetensors"))


def tensors_of(batch):
    rows, length = batch["rows"], batch["rowLength"]
    given = {name: torch.tensor(batch[name]) for name in ("predictors", "labels", "weights")}
    return given | {name: torch.tensor(batch[name]).view(rows, length) for name in ("tokens", "positions")}


model, optimizer, number = None, None, 0
for line in sys.stdin:
    asked = json.loads(line)
    if model is None:
        recipe = REQUEST | {name: asked[name] for name in ("weightDecay", "gradientClipNorm")}
        with tempfile.TemporaryDirectory() as directory:
            folder_of(asked["shape"], asked["weights"], directory)
            model = LanguageModel(recipe, ProcessGroup("cpu", ""), directory, directory, read_config(directory))
        optimizer = Optimizer(model, recipe)
    losses = []
    started = time.process_time()
    for step in asked["steps"]:
        total, number = 0.0, number + 1
        optimizer.request["learningRate"] = step["learningRate"]
        for batch in step["batches"]:
            loss = model.loss(tensors_of(batch))
            loss.backward()
            total += loss.item()
        optimizer.step(number)
        losses.append(total)
    print(json.dumps({"losses": losses, "cpuSeconds": time.process_time() - started}), flush=True)
