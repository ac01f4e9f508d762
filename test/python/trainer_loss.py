"""
Compares loss and gradients of the trainer's model on packed rows with those of transformers on each example alone, for
tiny random models of several families. Ours computes on the requested device, theirs on the CPU. JSON in: a folder, the
families, a seed, the device. JSON out: the differences.
"""

import json
import os
import sys
from array import array

import torch
from transformers import AutoConfig, AutoModelForCausalLM

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "packages", "language-model", "trainers", "python"))
from checkpoint_folder import read_config  # noqa: E402
from language_model import LanguageModel, batch_of  # noqa: E402
from process_group import ProcessGroup  # noqa: E402
from rows import micro_batches, pack_rows  # noqa: E402

torch.set_num_threads(1)
VOCABULARY = 61
CONTEXT = 48
SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "max_position_embeddings": CONTEXT,
}
REQUEST = {
    "precision": "float32",
    "floatMasters": True,
    "attention": "auto",
    "recomputeActivations": False,
    "lora": None,
    "seed": 1,
    "parallelism": "replicated",
}


class Examples:
    """Examples with the interface of `TrainingSet`."""

    def __init__(self, count):
        self.lengths = [3 + (7 * at) % 31 for at in range(count)]
        self.prompt_lengths = [1 + at % (length - 1) for at, length in enumerate(self.lengths)]
        self.weights = [0.25 * (1 + at % 7) for at in range(count)]
        self._ids = [torch.randint(0, VOCABULARY, (length,)).tolist() for length in self.lengths]

    def weights_of(self, index):
        return torch.full((self.lengths[index] - self.prompt_lengths[index],), self.weights[index])

    def tokens(self, index):
        return array("I", self._ids[index])


def make(directory, family):
    sizes = SIZES if family != "gpt2" else {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": CONTEXT}
    config = AutoConfig.for_model(family, vocab_size=VOCABULARY, eos_token_id=1, bos_token_id=None, pad_token_id=None, **sizes)
    config.tie_word_embeddings = family in ("qwen2", "gpt2")
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            # Larger matrices than initial ones, and no gain of one, so that a forgotten part shows. With larger gains
            # attention would be so sharp that float32 keeps three digits of a gradient.
            parameter.mul_(4.0 if parameter.dim() > 1 else 1.0).add_(0.05 * torch.randn_like(parameter))
    model.save_pretrained(directory)


def ours(model, examples, total, runs_on=False):
    loss = torch.zeros((), device=model.group.device)
    rows = pack_rows(range(len(examples.lengths)), examples.lengths, CONTEXT, 16)
    if not model.keeps_apart:
        rows = [(examples.lengths[at], [at]) for at in range(len(examples.lengths))]
    for batch in micro_batches(rows, 2 * CONTEXT):
        tensors = batch_of(batch, examples, lambda at: examples.weights_of(at) / total, model.group.device)
        if runs_on:
            tensors["positions"] = torch.arange(tensors["tokens"].shape[1]).to(loss.device).expand_as(tensors["tokens"])
        part = model.loss(tensors)
        part.backward()
        loss += part.detach()
    gradients = {name: parameter.grad.cpu() for name, parameter in model.module.named_parameters()}
    model.module.zero_grad()
    return loss.item(), gradients


def theirs(directory, examples, total):
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
    loss = torch.zeros(())
    for at, length in enumerate(examples.lengths):
        ids = torch.tensor([list(examples.tokens(at))], dtype=torch.int64)
        labels = ids.clone()
        labels[0, : examples.prompt_lengths[at]] = -100
        scored = length - examples.prompt_lengths[at]
        part = model(input_ids=ids, labels=labels).loss * scored * examples.weights[at] / total
        part.backward()
        loss += part.detach()
    return loss.item(), {name: parameter.grad for name, parameter in model.named_parameters()}


def furthest(mine, others):
    if set(mine) != set(others):
        raise ValueError(f"other parameters: {set(mine) ^ set(others)}")
    return max((mine[name] - others[name]).abs().max().item() for name in mine)


WAYS = {"plain": {}, "recomputed": {"recomputeActivations": True}, "eager": {"attention": "eager"}}
# Compiled, which on the CPU needs a C++ compiler with Python's headers; some families are not supported.
FLEX = {"flex": {"attention": "flex_attention"}}
FLEX_FAMILIES = ("llama", "qwen2", "qwen3", "mistral")

asked = json.load(sys.stdin)
group = ProcessGroup(asked["device"], "")
answers = {}
for family in asked["families"]:
    torch.manual_seed(asked["seed"])
    directory = os.path.join(asked["directory"], family)
    make(directory, family)
    examples = Examples(23)
    total = sum((n - p) * w for n, p, w in zip(examples.lengths, examples.prompt_lengths, examples.weights))
    expected_loss, expected = theirs(directory, examples, total)
    answer = {"loss": expected_loss, "largest": max(gradient.abs().max().item() for gradient in expected.values())}
    ways = WAYS | (FLEX if asked["device"] == "cuda" and family in FLEX_FAMILIES else {})
    for name, changes in ways.items():
        request = {**REQUEST, **changes}
        model = LanguageModel(request, group, directory, directory, read_config(directory))
        loss, gradients = ours(model, examples, total)
        answer[name] = {"loss": abs(loss - expected_loss), "gradient": furthest(gradients, expected)}
    answer["packed"] = model.keeps_apart
    if model.keeps_apart:
        # The loss if the examples of a row saw one another.
        answer["mixed"] = abs(ours(model, examples, total, runs_on=True)[0] - expected_loss)
    answers[family] = answer
json.dump(answers, sys.stdout)
