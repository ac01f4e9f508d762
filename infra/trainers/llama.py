"""
Llama (RMSNorm, rotary positions, grouped-query attention, SwiGLU) over packed rows, with Hugging Face's names for its
weights. Several examples share a row: none sees another, and positions restart with each. Logits are computed only at
the tokens that predict a scored one.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class RmsNorm(nn.Module):
    def __init__(self, size, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size))
        self.epsilon = epsilon

    def forward(self, hidden):
        return F.rms_norm(hidden, self.weight.shape, self.weight, self.epsilon)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.key_value_heads, self.head_size = config.heads, config.key_value_heads, config.head_size
        self.q_proj = nn.Linear(config.hidden_size, self.heads * self.head_size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, self.key_value_heads * self.head_size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, self.key_value_heads * self.head_size, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_size, config.hidden_size, bias=False)

    def forward(self, hidden, cosines, sines, visible):
        rows, length, _ = hidden.shape

        def heads_first(projected, count):
            return projected.view(rows, length, count, self.head_size).transpose(1, 2)

        def rotated(vectors):
            half = self.head_size // 2
            turned = torch.cat([-vectors[..., half:], vectors[..., :half]], -1)
            return vectors * cosines + turned * sines

        mixed = F.scaled_dot_product_attention(
            rotated(heads_first(self.q_proj(hidden), self.heads)),
            rotated(heads_first(self.k_proj(hidden), self.key_value_heads)),
            heads_first(self.v_proj(hidden), self.key_value_heads),
            attn_mask=visible,
            enable_gqa=self.heads != self.key_value_heads,
        )
        return self.o_proj(mixed.transpose(1, 2).reshape(rows, length, -1))


class FeedForward(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.feed_forward_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.feed_forward_size, bias=False)
        self.down_proj = nn.Linear(config.feed_forward_size, config.hidden_size, bias=False)

    def forward(self, hidden):
        return self.down_proj(F.silu(self.gate_proj(hidden)) * self.up_proj(hidden))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.input_layernorm = RmsNorm(config.hidden_size, config.rms_epsilon)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RmsNorm(config.hidden_size, config.rms_epsilon)
        self.mlp = FeedForward(config)

    def forward(self, hidden, cosines, sines, visible):
        hidden = hidden + self.self_attn(self.input_layernorm(hidden), cosines, sines, visible)
        return hidden + self.mlp(self.post_attention_layernorm(hidden))


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocabulary_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = RmsNorm(config.hidden_size, config.rms_epsilon)


class Llama(nn.Module):
    """Weights are as they were made: the caller fills them."""

    def __init__(self, config, recompute_activations):
        super().__init__()
        self.config = config
        self.recompute_activations = recompute_activations
        self.model = Decoder(config)
        if not config.tied_embeddings:
            self.lm_head = nn.Linear(config.hidden_size, config.vocabulary_size, bias=False)

    def forward(self, batch):
        """Sum over the batch's scored tokens of weight × cross-entropy, nats, a float32 scalar."""
        positions, examples = batch["positions"], batch["examples"]
        visible = examples[:, :, None] == examples[:, None, :]
        visible = (visible & (positions[:, :, None] >= positions[:, None, :]))[:, None]
        hidden = self.model.embed_tokens(batch["tokens"])
        cosines, sines = (table[:, None].to(hidden.dtype) for table in self.rotary(positions))
        for layer in self.model.layers:
            if self.recompute_activations:
                hidden = checkpoint(layer, hidden, cosines, sines, visible, use_reentrant=False)
            else:
                hidden = layer(hidden, cosines, sines, visible)
        hidden = self.model.norm(hidden.flatten(0, 1)[batch["predictors"]])
        head = self.model.embed_tokens.weight if self.config.tied_embeddings else self.lm_head.weight
        logits = F.linear(hidden, head).float()
        return (F.cross_entropy(logits, batch["labels"], reduction="none") * batch["weights"]).sum()

    def rotary(self, positions):
        """Cosines and sines, float32 [rows, length, head size]; computed here, so that no table limits the context."""
        half = torch.arange(self.config.head_size // 2, device=positions.device, dtype=torch.float64)
        speeds = self.config.rope_theta ** (-half / (self.config.head_size // 2))
        angles = positions[..., None].to(torch.float64) * speeds
        angles = torch.cat([angles, angles], -1)
        return angles.cos().float(), angles.sin().float()


def packed_batch(row_length, rows, examples, weight_scale, device):
    """Rows of example indices as tensors. Weights are multiplied by `weight_scale`. No rows: one of padding alone."""
    count = max(1, len(rows))
    tokens = torch.zeros(count, row_length, dtype=torch.int64)
    positions = torch.zeros(count, row_length, dtype=torch.int64)
    # Padding sees nothing but padding.
    numbers = torch.full((count, row_length), -1, dtype=torch.int64)
    predictors, labels, weights = [], [], []
    for row, indices in enumerate(rows):
        base = 0
        for number, index in enumerate(indices):
            ids = torch.frombuffer(examples.tokens(index), dtype=torch.int32).to(torch.int64)
            end, prompt = base + len(ids), examples.prompt_lengths[index]
            tokens[row, base:end] = ids
            positions[row, base:end] = torch.arange(len(ids))
            numbers[row, base:end] = number
            first = row * row_length + base + prompt
            predictors.append(torch.arange(first - 1, row * row_length + end - 1))
            labels.append(ids[prompt:])
            weights.append(torch.full((len(ids) - prompt,), examples.weights[index] * weight_scale))
            base = end
    if not rows:
        predictors, labels, weights = [torch.zeros(1, dtype=torch.int64)], [torch.zeros(1, dtype=torch.int64)], [torch.zeros(1)]
    batch = {
        "tokens": tokens,
        "positions": positions,
        "examples": numbers,
        "predictors": torch.cat(predictors),
        "labels": torch.cat(labels),
        "weights": torch.cat(weights).float(),
    }
    return {name: tensor.to(device) for name, tensor in batch.items()}
