"""Folders of small random models, as `transformers` writes them."""

import torch
from transformers import AutoConfig, AutoModelForCausalLM

PAD, END = 0, 1


def make_folder(directory, seed, family, config, dtype, shard):
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(family, eos_token_id=END, pad_token_id=PAD, **config))
    with torch.no_grad():
        for parameter in model.parameters():
            # Larger than initial weights, and no gain of one, so that a forgotten part shows.
            parameter.mul_(2.0).add_(0.01 * torch.randn_like(parameter))
            # Biases are zero initially.
            if parameter.dim() == 1:
                parameter.add_(0.2 * torch.randn_like(parameter))
    model.to(getattr(torch, dtype)).save_pretrained(directory, max_shard_size=shard)
