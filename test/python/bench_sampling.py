"""Samples from a Llama folder in plain PyTorch on the CPU: keys and values cached in place, temperature and top-p.

Reads one JSON request a line and answers each with one line: the tokens chosen and the processor seconds they took.
"""

import json
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

torch.set_num_threads(1)
torch.set_grad_enabled(False)


class Llama:
    def __init__(self, directory):
        config = json.loads((Path(directory) / "config.json").read_text())
        tensors = load_file(str(Path(directory) / "model.safetensors"))
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.kv_heads = config["num_key_value_heads"]
        self.size = config["hidden_size"]
        self.head_size = self.size // self.heads
        self.epsilon = config["rms_norm_eps"]
        self.context = config["max_position_embeddings"]
        self.embedding = tensors["model.embed_tokens.weight"]
        self.head = tensors.get("lm_head.weight", self.embedding)
        self.final_norm = tensors["model.norm.weight"]
        self.blocks = []
        for layer in range(self.layers):
            get = lambda name: tensors[f"model.layers.{layer}.{name}.weight"]
            self.blocks.append(
                {
                    "input_norm": get("input_layernorm"),
                    # One product for all matrices with the same input.
                    "qkv": torch.cat([get(f"self_attn.{part}_proj") for part in "qkv"]),
                    "output": get("self_attn.o_proj"),
                    "post_norm": get("post_attention_layernorm"),
                    "gate_up": torch.cat([get("mlp.gate_proj"), get("mlp.up_proj")]),
                    "down": get("mlp.down_proj"),
                }
            )
        half = torch.arange(self.head_size // 2) / (self.head_size // 2)
        angles = torch.outer(torch.arange(self.context), config["rope_theta"] ** -half)
        self.cosines = torch.cat([angles.cos(), angles.cos()], -1)
        self.sines = torch.cat([-angles.sin(), angles.sin()], -1)

    def rotate(self, vectors, start, length):
        cosines, sines = self.cosines[start : start + length], self.sines[start : start + length]
        return vectors * cosines + vectors.roll(self.head_size // 2, -1) * sines

    def step(self, tokens, start, keys, values):
        """Computes the logits after the last of `tokens` [rows, length], which begin at `start`; fills the caches."""
        rows, length = tokens.shape
        end = start + length
        hidden = self.embedding[tokens]
        for layer, block in enumerate(self.blocks):
            normed = F.rms_norm(hidden, (self.size,), block["input_norm"], self.epsilon)
            projected = F.linear(normed, block["qkv"]).view(rows, length, -1, self.head_size).transpose(1, 2)
            query, key, value = projected.split([self.heads, self.kv_heads, self.kv_heads], 1)
            keys[layer][:, :, start:end] = self.rotate(key, start, length)
            values[layer][:, :, start:end] = value
            attended = F.scaled_dot_product_attention(
                self.rotate(query, start, length),
                keys[layer][:, :, :end],
                values[layer][:, :, :end],
                is_causal=length > 1,
                enable_gqa=True,
            )
            hidden = hidden + F.linear(attended.transpose(1, 2).reshape(rows, length, -1), block["output"])
            normed = F.rms_norm(hidden, (self.size,), block["post_norm"], self.epsilon)
            gate, up = F.linear(normed, block["gate_up"]).chunk(2, -1)
            hidden = hidden + F.linear(F.silu(gate) * up, block["down"])
        last = F.rms_norm(hidden[:, -1], (self.size,), self.final_norm, self.epsilon)
        return F.linear(last, self.head)

    def sample(self, prompts, tokens_max, temperature, top_p):
        rows, start = prompts.shape
        shape = (rows, self.kv_heads, start + tokens_max, self.head_size)
        keys = [torch.zeros(shape) for _ in range(self.layers)]
        values = [torch.zeros(shape) for _ in range(self.layers)]
        logprobs = torch.zeros(rows)
        tokens = prompts
        for step in range(tokens_max):
            at = 0 if step == 0 else start + step - 1
            log_probabilities = self.step(tokens, at, keys, values).log_softmax(-1)
            tokens = choose(log_probabilities, temperature, top_p)
            logprobs += log_probabilities.gather(1, tokens)[:, 0]
        return rows * tokens_max


def choose(log_probabilities, temperature, top_p):
    probabilities = (log_probabilities / temperature).softmax(-1)
    ordered, ids = probabilities.sort(-1, descending=True)
    ordered[ordered.cumsum(-1) - ordered > top_p] = 0
    return ids.gather(1, torch.multinomial(ordered, 1))


model = None
for line in sys.stdin:
    request = json.loads(line)
    model = model or Llama(request["directory"])
    prompts = torch.tensor(request["prompts"])
    started = time.process_time()
    tokens = model.sample(prompts, request["maxTokens"], request["temperature"], request["topP"])
    print(json.dumps({"tokens": tokens, "cpuSeconds": time.process_time() - started}), flush=True)
