"""
Makes ten steps of AdamW over padded rows with `transformers`, as a reference for the embedded trainer, and computes the
losses of folders that this trainer has written. JSON in, JSON out; gradients and weights as safetensors.
"""

import json
import os
import sys

import torch
from model_folders import make_folder
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

torch.set_num_threads(1)
asked = json.load(sys.stdin)


def loss_of(model, examples):
    """Mean of -log p over the targets' tokens, weighted by example. Rows are padded, and a mask hides the padding."""
    longest = max(len(example["tokens"]) for example in examples)
    tokens = torch.zeros(len(examples), longest, dtype=torch.int64)
    mask = torch.zeros_like(tokens)
    for row, example in enumerate(examples):
        tokens[row, : len(example["tokens"])] = torch.tensor(example["tokens"])
        mask[row, : len(example["tokens"])] = 1
    table = torch.log_softmax(model(input_ids=tokens, attention_mask=mask).logits, -1)
    total, weights = 0.0, 0.0
    for row, example in enumerate(examples):
        for at in range(example["promptLength"], len(example["tokens"])):
            total = total - example["weight"] * table[row, at - 1, example["tokens"][at]]
            weights += example["weight"]
    return total / weights


def tensors_of(model, value):
    return {name: value(parameter).detach().clone().contiguous() for name, parameter in model.named_parameters()}


def train(folder, examples, recipe):
    make_folder(folder["directory"], **folder["make"])
    model = AutoModelForCausalLM.from_pretrained(folder["directory"], dtype=torch.float32).train()
    embedding = model.get_input_embeddings().weight
    decays = lambda parameter: parameter.dim() > 1 and parameter is not embedding  # noqa: E731
    groups = [
        {"params": [p for p in model.parameters() if decays(p)], "weight_decay": recipe["weightDecay"]},
        {"params": [p for p in model.parameters() if not decays(p)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1.0, betas=(0.9, 0.95), eps=1e-8)
    losses = []
    for step, rate in enumerate(recipe["rates"]):
        optimizer.zero_grad()
        loss = loss_of(model, examples)
        loss.backward()
        if step == 0:
            save_file(tensors_of(model, lambda parameter: parameter.grad), f"{folder['directory']}-gradient.safetensors")
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe["gradientClipNorm"])
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        losses.append(loss.item())
    save_file(tensors_of(model, lambda parameter: parameter), f"{folder['directory']}-trained.safetensors")
    return losses


def look_at(directory, examples):
    """Reports how `transformers` loads a folder without further settings."""
    model, found = AutoModelForCausalLM.from_pretrained(directory, output_loading_info=True)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(directory)
    with torch.no_grad():
        loss = loss_of(model, examples).item()
    complaints = [str(name) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys") for name in found[kind]]
    return {
        "loss": loss,
        "dtype": str(model.dtype),
        "family": model.config.model_type,
        "complaints": complaints,
        "tokens": tokenizer.encode(asked["text"], add_special_tokens=False),
        "files": sorted(os.listdir(directory)),
    }


examples = asked["examples"]
if "recipe" in asked:
    json.dump([train(folder, examples, asked["recipe"]) for folder in asked["folders"]], sys.stdout)
else:
    json.dump([look_at(directory, examples) for directory in asked["checkpoints"]], sys.stdout)
