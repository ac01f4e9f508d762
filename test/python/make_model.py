"""
Writes a model folder of transformers with random weights. JSON in: directory, family, config (fields), dtype, seed, and
optionally the largest shard and the device that draws the weights.
"""

import json
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM

asked = json.load(sys.stdin)
torch.manual_seed(asked["seed"])
with torch.device(asked.get("device", "cpu")):
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(asked["family"], **asked["config"]))
model.to(getattr(torch, asked["dtype"])).save_pretrained(asked["directory"], max_shard_size=asked.get("shard", "5GB"))
json.dump({"parameters": sum(parameter.numel() for parameter in model.parameters())}, sys.stdout)
