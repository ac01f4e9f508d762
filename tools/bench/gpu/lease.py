"""
Runs one lease of a GPU: converts the weights, trains them with this project's trainer on its pairs, samples proofs with
`transformers serve` before and after, and takes figures. `prepare.ts` makes the folder that it reads. Needs PyTorch,
transformers, peft, gguf and the packages of `transformers serve`; no network, no Node, no Lean.

    python lease.py --folder LEASE --out OUT --parts FOLDER … [--device cuda] [--until SECONDS] [--tiny]

OUT is complete after each stage: `figures.json`, `samples-*.jsonl`, `lease.log`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

from gpu_figures import MemoryWatch, machine
from lease_weights import converted, random_model
from model_server import Served, row_of

TRAINER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trainers/python/train.py")
REQUESTS_AT_ONCE = 128
STARTED = time.monotonic()
LORA = {"rank": 32, "alpha": 64, "targets": [], "quantised": False, "output": "merged"}
# The most important work comes first.
STAGES = (
    "train all names", "generate all names", "after all names", "train all slots", "generate all slots", "before names",
    "train lora names", "generate lora names", "after all names 32", "after all names 512", "before slots",
)  # fmt: skip
GENERATED_TOGETHER = 806
# A tiny run only shows that every part works; its figures mean nothing.
TINY = {"prompts": 6, "maxTokens": 8, "steps": 2, "tokensPerStep": 512, "microBatchTokens": 512, "requests": 4}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--parts", nargs="*", default=[], help="folders with the parts of the GGUF, in order; none: a random tiny model")
    parser.add_argument("--work", default="/tmp/stp-lease")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--until", type=float, default=420, help="no stage starts after so many seconds")
    parser.add_argument("--steps", type=int, help="of each training, in the place of the prepared number")
    parser.add_argument("--stages", nargs="+", default=STAGES)
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    Lease(options).run()


class Lease:
    def __init__(self, options):
        self.options = options
        self.figures = {"machine": machine(), "tiny": options.tiny, "stages": []}
        self.log = open(os.path.join(options.out, "lease.log"), "ab", buffering=0)

    def run(self):
        model = os.path.join(self.options.work, "model")
        if not self.stage("weights", lambda: self.weights(model)):
            return
        for name in self.options.stages:
            self.stage(name, lambda: self.work_of(name.split(), model))

    def work_of(self, words, model):
        """Reads work such as `before FORM`, `train KIND FORM`, `generate KIND FORM`, `after KIND FORM [REQUESTS]`."""
        form = words[1] if words[0] == "before" else words[2]
        kind = None if words[0] == "before" else words[1]
        trained = model if kind is None else os.path.join(self.options.work, f"{kind}-{form}")
        if words[0] == "train":
            return self.train(form, model, trained, LORA if kind == "lora" else None)
        if words[0] == "generate":
            return self.generate(form, trained, f"generate-{kind}-{form}")
        if len(words) == 4:
            return self.sample(form, trained, None, int(words[3]))
        return self.sample(form, trained, f"before-{form}" if kind is None else f"after-{kind}-{form}")

    def stage(self, name, work):
        """Runs the work if time is left. Returns whether it succeeded."""
        began = time.monotonic()
        if began - STARTED > self.options.until:
            self.note({"stage": name, "skipped": "no time"})
            return False
        print(f"{began - STARTED:6.0f} s  {name}", flush=True)
        try:
            found = work()
        except Exception as error:
            self.note({"stage": name, "failed": f"{type(error).__name__}: {str(error)[-2000:]}"})
            return False
        self.note({"stage": name, "seconds": round(time.monotonic() - began, 1), **found})
        return True

    def note(self, found):
        self.figures["stages"].append(found)
        print(json.dumps({name: value for name, value in found.items() if name != "losses"})[:1500], flush=True)
        with open(os.path.join(self.options.out, "figures.json"), "w") as file:
            json.dump(self.figures, file, indent=1)

    def weights(self, model):
        source = os.path.join(self.options.folder, "model")
        if not self.options.parts:
            return random_model(source, model)
        return converted(source, model, self.options.parts, self.options.work)

    def read_settings(self, form):
        with open(os.path.join(self.options.folder, form, "settings.json")) as file:
            return json.load(file)

    def train(self, form, model, trained, lora):
        data = os.path.join(self.options.folder, form)
        work = f"{trained}.work"
        os.makedirs(work)
        request = self.read_settings(form)["train"] | {
            "examplesPath": os.path.join(data, "train.jsonl"),
            "heldOutPath": os.path.join(data, "held-out.jsonl"),
            "initDirectory": model,
            "baseDirectory": model,
            "outputDirectory": trained,
            "workDirectory": work,
            "device": self.options.device,
            "lora": lora,
            "threads": os.cpu_count(),
        }
        if self.options.steps is not None:
            request["steps"] = self.options.steps
        if lora is not None:
            # Adapters need a higher learning rate than full training.
            request["learningRate"] *= 2
        if self.options.tiny:
            small = {name: TINY[name] for name in ("steps", "tokensPerStep", "microBatchTokens")}
            request |= {**small, "heldOutEverySteps": 1, "heldOutPath": None}
        path = os.path.join(work, "request.json")
        with open(path, "w") as file:
            json.dump(request, file)
        watch = MemoryWatch(self.options.device)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, TRAINER, "--request", path]
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, env=environment, text=True)
        messages = [json.loads(line) for line in ran.stdout.splitlines()]
        last = messages[-1] if messages else {}
        if last.get("type") != "trained":
            raise RuntimeError(last.get("message", f"the trainer ended with {ran.returncode}"))
        steps = [message for message in messages if message["type"] == "progress"]
        rates = sorted(message["tokensPerSecond"] for message in steps[len(steps) // 4 :])
        return {
            "result": last["result"],
            "parameters": next(message["parameters"] for message in messages if message["type"] == "started"),
            "tokensPerSecond": rates[len(rates) // 2],
            "memoryMib": watch.most(),
            "losses": [[message["step"], message["loss"], message["heldOutLoss"]] for message in steps],
        }

    def sample(self, form, model, name, requests=REQUESTS_AT_ONCE):
        settings = self.read_settings(form)
        with open(os.path.join(self.options.folder, form, "prompts.jsonl")) as file:
            prompts = [json.loads(line) for line in file]
        sampling = settings["sampling"]
        if self.options.tiny:
            prompts, requests = prompts[: TINY["prompts"]], TINY["requests"]
            sampling["maxTokens"] = TINY["maxTokens"]
        began = time.monotonic()
        served = Served(model, self.options, requests, settings["contextLength"], self.log)
        try:
            watch = MemoryWatch(self.options.device)
            start_seconds = time.monotonic() - began
            # The first request creates the cache.
            served.complete({**prompts[0], "index": -1}, {**sampling, "maxTokens": 1})
            began = time.monotonic()
            deadline = STARTED + self.options.until
            rows = served.complete_all(prompts, sampling, requests, deadline)
            seconds = time.monotonic() - began
            memory = watch.most()
        finally:
            served.end()
        found = self.sampled(name, form, rows, prompts, seconds)
        return {**found, "requestsAtOnce": requests, "startSeconds": round(start_seconds, 1), "memoryMib": memory}

    def generate(self, form, model, name):
        """Draws the same samples by transformers' own `generate` on batches of equal lengths, for comparison."""
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        settings = self.read_settings(form)
        sampling = settings["sampling"]
        with open(os.path.join(self.options.folder, form, "prompts.jsonl")) as file:
            prompts = [json.loads(line) for line in file]
        if self.options.tiny:
            prompts, sampling["maxTokens"] = prompts[: TINY["prompts"]], TINY["maxTokens"]
        precision = torch.bfloat16 if self.options.device == "cuda" else torch.float32
        tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        decoder = AutoModelForCausalLM.from_pretrained(model, dtype=precision).to(self.options.device).eval()
        end = tokenizer.eos_token_id
        torch.manual_seed(1)
        rows = []
        began = time.monotonic()
        for first in range(0, len(prompts), GENERATED_TOGETHER):
            batch = prompts[first : first + GENERATED_TOGETHER]
            given = tokenizer([prompt["prompt"] for prompt in batch], return_tensors="pt", padding=True).to(self.options.device)
            length = given["input_ids"].shape[1]
            with torch.inference_mode():
                made = decoder.generate(
                    **given,
                    **{"do_sample": True, "temperature": sampling["temperature"], "top_p": sampling["topP"], "top_k": 0},
                    **{"max_new_tokens": sampling["maxTokens"], "eos_token_id": end, "pad_token_id": tokenizer.pad_token_id},
                )[:, length:].tolist()
            for prompt, ids in zip(batch, made):
                finish = "stop" if end in ids else "length"
                ids = ids[: ids.index(end) + 1] if end in ids else ids
                text = tokenizer.decode([one for one in ids if one != end])
                usage = {"completion_tokens": len(ids), "prompt_tokens": len(tokenizer(prompt["prompt"])["input_ids"])}
                answer = {"choices": [{"text": text, "finish_reason": finish}], "usage": usage}
                rows.append(row_of(prompt, sampling, answer))
        seconds = time.monotonic() - began
        del decoder, given
        if self.options.device == "cuda":
            torch.cuda.empty_cache()
        return self.sampled(name, form, rows, prompts, seconds)

    def sampled(self, name, form, rows, prompts, seconds):
        """Writes the samples and returns their figures."""
        if name is not None:
            with open(os.path.join(self.options.out, f"samples-{name}.jsonl"), "w") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        tokens = sum(row["tokens"] for row in rows)
        return {
            "form": form,
            "samples": len(rows),
            "ofSamples": len(prompts),
            "tokens": tokens,
            "promptTokens": sum(row["promptTokens"] for row in rows),
            "cutOff": sum(row["finish"] == "length" for row in rows),
            "sampleSeconds": round(seconds, 2),
            "tokensPerSecond": round(tokens / seconds),
        }


if __name__ == "__main__":
    main()
