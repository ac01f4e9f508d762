"""What `transformers` computes with model folders; where asked, folders with random weights are made first."""

import json
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.set_num_threads(1)


def make_folder(directory, seed, config, dtype, shard):
    torch.manual_seed(seed)
    model = LlamaForCausalLM(LlamaConfig(**config))
    with torch.no_grad():
        for parameter in model.parameters():
            # Larger than fresh weights, and no gain of one: what is forgotten shows.
            parameter.mul_(2.0).add_(0.01 * torch.randn_like(parameter))
    model.to(getattr(torch, dtype)).save_pretrained(directory, max_shard_size=shard)


def compute(directory, sequences):
    model = LlamaForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
    log_probabilities, embeddings = [], []
    with torch.no_grad():
        for ids in sequences:
            output = model(torch.tensor([ids]), output_hidden_states=True)
            log_probabilities.append(torch.log_softmax(output.logits[0, -1], -1).tolist())
            mean = output.hidden_states[-1][0].mean(0)
            embeddings.append((mean / mean.norm()).tolist())
    return {"logProbabilities": log_probabilities, "embeddings": embeddings}


request = json.load(sys.stdin)
answers = []
for folder in request["folders"]:
    if "make" in folder:
        make_folder(folder["directory"], **folder["make"])
    answers.append(compute(folder["directory"], request["sequences"]))
json.dump(answers, sys.stdout)
