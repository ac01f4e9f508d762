"""Trains a Llama in plain PyTorch on the CPU: packed rows, weighted likelihood, clipping, fused AdamW.

Reads one JSON request a line and answers each with one line. The first request has the shape and the weights
(safetensors); every request has optimizer steps, each made of micro-batches whose gradients add up. Answers: the loss of
every step and the processor seconds all of them took.
"""

import json
import sys
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

torch.set_num_threads(1)

FIRST_DECAY, SECOND_DECAY, EPSILON = 0.9, 0.95, 1e-8
RMS_EPSILON, ROPE_THETA = 1e-5, 10000.0


class Llama:
    def __init__(self, shape, path):
        self.shape = shape
        self.head_size = shape["hiddenSize"] // shape["heads"]
        self.weights = {name: tensor.requires_grad_() for name, tensor in load_file(path).items()}
        half = torch.arange(self.head_size // 2) / (self.head_size // 2)
        angles = torch.outer(torch.arange(shape["contextLength"]), ROPE_THETA**-half)
        self.cosines = torch.cat([angles.cos(), angles.cos()], -1)
        self.sines = torch.cat([-angles.sin(), angles.sin()], -1)

    def norm(self, hidden, name):
        return F.rms_norm(hidden, (self.shape["hiddenSize"],), self.weights[name], RMS_EPSILON)

    def loss(self, batch):
        rows, length = batch["rows"], batch["rowLength"]
        weights, heads, kv_heads = self.weights, self.shape["heads"], self.shape["keyValueHeads"]
        cosines, sines = (table[batch["positions"]][:, None] for table in (self.cosines, self.sines))
        rotate = lambda vectors: vectors * cosines + vectors.roll(self.head_size // 2, -1) * sines
        hidden = weights["model.embed_tokens.weight"][batch["tokens"]]
        for layer in range(self.shape["layers"]):
            prefix = f"model.layers.{layer}"
            normed = self.norm(hidden, f"{prefix}.input_layernorm.weight")

            def project(name, count):
                projected = F.linear(normed, weights[f"{prefix}.self_attn.{name}_proj.weight"])
                return projected.view(rows, length, count, self.head_size).transpose(1, 2)

            mixed = F.scaled_dot_product_attention(
                rotate(project("q", heads)),
                rotate(project("k", kv_heads)),
                project("v", kv_heads),
                attn_mask=batch["bias"],
                enable_gqa=True,
            )
            mixed = mixed.transpose(1, 2).reshape(rows, length, -1)
            if layer == self.shape["layers"] - 1:
                # No layer mixes positions after the last attention, so only scored tokens go on.
                mixed = mixed.flatten(0, 1)[batch["predictors"]]
                hidden = hidden.flatten(0, 1)[batch["predictors"]]
            hidden = hidden + F.linear(mixed, weights[f"{prefix}.self_attn.o_proj.weight"])
            normed = self.norm(hidden, f"{prefix}.post_attention_layernorm.weight")
            gate = F.silu(F.linear(normed, weights[f"{prefix}.mlp.gate_proj.weight"]))
            up = F.linear(normed, weights[f"{prefix}.mlp.up_proj.weight"])
            hidden = hidden + F.linear(gate * up, weights[f"{prefix}.mlp.down_proj.weight"])
        head = weights.get("lm_head.weight", weights["model.embed_tokens.weight"])
        logits = F.linear(self.norm(hidden, "model.norm.weight"), head)
        return (F.cross_entropy(logits, batch["labels"], reduction="none") * batch["weights"]).sum()


def tensors_of(batch):
    rows, length = batch["rows"], batch["rowLength"]
    matrix = {name: torch.tensor(batch[name]).view(rows, length) for name in ("tokens", "positions", "examples")}
    seen = matrix["examples"][:, :, None] == matrix["examples"][:, None, :]
    seen &= matrix["positions"][:, :, None] >= matrix["positions"][:, None, :]
    return {
        "rows": rows,
        "rowLength": length,
        "tokens": matrix["tokens"],
        "positions": matrix["positions"],
        "bias": torch.zeros(seen.shape).masked_fill_(~seen, float("-inf"))[:, None],
        "predictors": torch.tensor(batch["predictors"]),
        "labels": torch.tensor(batch["labels"]),
        "weights": torch.tensor(batch["weights"]),
    }


def optimizer_of(model, decay):
    decays = lambda name, tensor: tensor.dim() > 1 and name != "model.embed_tokens.weight"
    named = list(model.weights.items())
    groups = [
        {"params": [tensor for name, tensor in named if decays(name, tensor)], "weight_decay": decay},
        {"params": [tensor for name, tensor in named if not decays(name, tensor)], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, betas=(FIRST_DECAY, SECOND_DECAY), eps=EPSILON, fused=True)


model, optimizer = None, None
for line in sys.stdin:
    request = json.loads(line)
    if model is None:
        model = Llama(request["shape"], request["weights"])
        optimizer = optimizer_of(model, request["weightDecay"])
    losses = []
    started = time.process_time()
    for step in request["steps"]:
        total = 0.0
        for batch in step["batches"]:
            loss = model.loss(tensors_of(batch))
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(model.weights.values(), request["gradientClipNorm"])
        for group in optimizer.param_groups:
            group["lr"] = step["learningRate"]
        optimizer.step()
        optimizer.zero_grad()
        losses.append(total)
    print(json.dumps({"losses": losses, "cpuSeconds": time.process_time() - started}), flush=True)
