"""
Trains with transformers' own `Trainer`, as its users do: padded batches, bfloat16 by autocast over float32 weights, fused
AdamW. JSON in: base (folder), examplesPath, steps, warmupSteps (not timed), tokensPerStep, microBatchTokens (of a padded
batch, about), contextLength, recompute. JSON out: tokens a second without padding, the mean length of an example, and the
most memory that tensors took, GiB.
"""

import contextlib
import itertools
import json
import sys
import tempfile
import time

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, Trainer, TrainerCallback, TrainingArguments

asked = json.load(sys.stdin)
tokenizer = Tokenizer.from_file(f"{asked['base']}/tokenizer.json")
tokenizer.no_padding()


def example_of(line):
    record = json.loads(line)
    prompt, target = (tokenizer.encode(record[part], add_special_tokens=False).ids for part in ("prompt", "target"))
    return {"input_ids": prompt + target, "labels": [-100] * len(prompt) + target}


with open(asked["examplesPath"], encoding="utf-8") as file:
    examples = [example for example in map(example_of, file) if len(example["input_ids"]) <= asked["contextLength"]]
mean = sum(len(example["input_ids"]) for example in examples) / len(examples)
longest = max(len(example["input_ids"]) for example in examples)
rows = max(1, asked["microBatchTokens"] // longest)
batches = max(1, round(asked["tokensPerStep"] / (rows * mean)))
wanted = asked["steps"] * batches * rows
examples = list(itertools.islice(itertools.cycle(examples), wanted))
seen = {"tokens": 0}


def collate(batch):
    length = max(len(example["input_ids"]) for example in batch)
    seen["tokens"] += sum(len(example["input_ids"]) for example in batch)

    def padded(name, filler):
        return torch.tensor([example[name] + [filler] * (length - len(example[name])) for example in batch])

    ids = padded("input_ids", 0)
    mask = torch.tensor([[1] * len(e["input_ids"]) + [0] * (length - len(e["input_ids"])) for e in batch])
    return {"input_ids": ids, "labels": padded("labels", -100), "attention_mask": mask}


class Clock(TrainerCallback):
    def on_step_end(self, arguments, state, control, **rest):
        torch.cuda.synchronize()
        if state.global_step == asked["warmupSteps"]:
            seen["from"] = (time.monotonic(), seen["tokens"])
        seen["to"] = (time.monotonic(), seen["tokens"])


model = AutoModelForCausalLM.from_pretrained(asked["base"], dtype=torch.float32, local_files_only=True)
# The trainer's reports go to standard output, which is reserved for the answer.
with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(sys.stderr):
    arguments = TrainingArguments(
        output_dir=directory,
        max_steps=asked["steps"],
        per_device_train_batch_size=rows,
        gradient_accumulation_steps=batches,
        gradient_checkpointing=asked["recompute"],
        bf16=True,
        optim="adamw_torch_fused",
        learning_rate=1e-4,
        lr_scheduler_type="constant",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        dataloader_num_workers=0,
        remove_unused_columns=False,
    )
    Trainer(model=model, args=arguments, train_dataset=examples, data_collator=collate, callbacks=[Clock()]).train()
(begun, before), (ended, after) = seen["from"], seen["to"]
answer = {"tokensPerSecond": (after - before) / (ended - begun), "meanTokens": mean}
json.dump(answer | {"gib": torch.cuda.max_memory_allocated() / 2**30}, sys.stdout)
