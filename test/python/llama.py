"""Computes with model folders by `transformers`; on request makes folders with random weights first."""

import json
import sys

import torch
from model_folders import END, PAD, make_folder
from transformers import AutoModelForCausalLM

torch.set_num_threads(1)
GREEDY_TOKENS = 16


def compute(directory, sequences):
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
    log_probabilities, embeddings, greedy = [], [], []
    with torch.no_grad():
        for ids in sequences:
            given = torch.tensor([ids])
            output = model(given, output_hidden_states=True)
            log_probabilities.append(torch.log_softmax(output.logits[0, -1], -1).tolist())
            mean = output.hidden_states[-1][0].mean(0)
            embeddings.append((mean / mean.norm()).tolist())
            written = model.generate(
                given,
                attention_mask=torch.ones_like(given),
                max_new_tokens=GREEDY_TOKENS,
                do_sample=False,
                suppress_tokens=[PAD],
                eos_token_id=END,
                pad_token_id=PAD,
                return_dict_in_generate=True,
                output_logits=True,
            )
            steps = []
            for chosen, logits in zip(written.sequences[0, len(ids) :].tolist(), written.logits):
                known = torch.log_softmax(logits[0], -1)
                known[PAD] = -torch.inf
                best = known.topk(2).values
                # If two tokens are equally likely, rounding decides.
                steps.append({"id": chosen, "logprob": best[0].item(), "lead": (best[0] - best[1]).item()})
            greedy.append(steps)
    return {"logProbabilities": log_probabilities, "embeddings": embeddings, "greedy": greedy}


request = json.load(sys.stdin)
answers = []
for folder in request["folders"]:
    if "make" in folder:
        make_folder(folder["directory"], **folder["make"])
    answers.append(compute(folder["directory"], request["sequences"]))
json.dump(answers, sys.stdout)
