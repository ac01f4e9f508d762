"""
One lease of a GPU: converts the weights, trains them on this project's pairs by its own trainer, samples proofs by
`transformers serve` before and after, and takes figures. `prepare.ts` makes the folder that it reads. Needs PyTorch, transformers,
peft, gguf and what `transformers serve` needs; no network, no Node, no Lean.

    python lease.py --folder LEASE --out OUT --parts FOLDER … [--device cuda] [--until SECONDS] [--tiny]

What it leaves in OUT is complete after each stage: `figures.json`, `samples-*.jsonl`, `lease.log`.
"""

import argparse
import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

CODE = os.path.dirname(os.path.abspath(__file__))
PORT = 23_456
START_SECONDS_MAX = 240
REQUESTS_AT_ONCE = 128
STARTED = time.monotonic()
CODE_FOLDERS = {"trainer": "trainers/python/train.py", "server": "remote/transformers/serve_checkpoint.py"}
LORA = {"rank": 32, "alpha": 64, "targets": [], "quantised": False, "output": "merged"}
# What matters most comes first.
STAGES = (
    "train all names", "generate all names", "after all names", "train all slots", "generate all slots", "before names",
    "train lora names", "generate lora names", "after all names 32", "after all names 512", "before slots",
)  # fmt: skip
GENERATED_TOGETHER = 806
# A tiny run shows that every part works; its figures mean nothing.
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
        """`before FORM`, `train KIND FORM`, `generate KIND FORM`, `after KIND FORM`, `after KIND FORM REQUESTS`."""
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
        """Runs it where there is time; whether it went well."""
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
            # Adapters want larger steps than all weights.
            request["learningRate"] *= 2
        if self.options.tiny:
            small = {name: TINY[name] for name in ("steps", "tokensPerStep", "microBatchTokens")}
            request |= {**small, "heldOutEverySteps": 1, "heldOutPath": None}
        path = os.path.join(work, "request.json")
        with open(path, "w") as file:
            json.dump(request, file)
        watch = MemoryWatch(self.options.device)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, os.path.join(CODE, CODE_FOLDERS["trainer"]), "--request", path]
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
            # The first request makes the cache.
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
        """The same samples by transformers' own `generate` on batches of equal lengths, for comparison."""
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
        """Writes the samples, and gives their figures."""
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


def row_of(prompt, sampling, answer):
    """A sample as `judge.ts` reads it, cut at the first stop text."""
    choice, usage = answer["choices"][0], answer["usage"]
    text, finish = choice["text"], choice["finish_reason"]
    for stop in sampling["stop"]:
        if stop in text:
            text, finish = text[: text.index(stop)], "stop"
    found = {"text": text, "finish": finish, "tokens": usage["completion_tokens"], "promptTokens": usage["prompt_tokens"]}
    return {"id": prompt["id"], "index": prompt["index"], **found}


class Served:
    """`transformers serve` on a folder, as `engines.generator.kind=transformers` starts it."""

    NAME = "stp/model"

    def __init__(self, model, options, requests, context, log):
        precision = "bfloat16" if options.device == "cuda" else "float32"
        work = tempfile.mkdtemp(dir=options.work)
        command = [sys.executable, os.path.join(CODE, CODE_FOLDERS["server"]), "--directory", model, "--name", self.NAME]
        command += ["--work", work, "--port", str(PORT), "--device", options.device, "--precision", precision]
        command += ["--requests", str(requests), "--context", str(context)]
        environment = {**os.environ, "STP_ENDS_WITH_STDIN": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment)
        deadline = time.monotonic() + START_SECONDS_MAX
        while True:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}; see lease.log")
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=5).read()
                return
            except OSError:
                if time.monotonic() > deadline:
                    self.end()
                    raise RuntimeError("the server does not serve")
                time.sleep(0.2)

    def body(self, prompt, sampling):
        stop = {"stop": sampling["stop"]} if sampling["stop"] else {}
        return {
            **{"model": self.NAME, "prompt": prompt["prompt"], "max_tokens": sampling["maxTokens"], "seed": prompt["seed"]},
            **{"temperature": sampling["temperature"], "top_p": sampling["topP"], **stop},
        }

    def complete(self, prompt, sampling):
        body = json.dumps(self.body(prompt, sampling)).encode()
        asked = urllib.request.Request(f"http://127.0.0.1:{PORT}/v1/completions", body, {"content-type": "application/json"})
        with urllib.request.urlopen(asked, timeout=600) as answer:
            return row_of(prompt, sampling, json.load(answer))

    def complete_all(self, prompts, sampling, requests, deadline):
        """Rows in the order of the prompts; what is not there at the deadline is left out."""
        return asyncio.run(self._complete_all(prompts, sampling, requests, deadline))

    async def _complete_all(self, prompts, sampling, requests, deadline):
        rows = [None] * len(prompts)
        waiting = iter(range(len(prompts)))

        async def work():
            reader, writer = await asyncio.open_connection("127.0.0.1", PORT, limit=1 << 24)
            for at in waiting:
                body = json.dumps(self.body(prompts[at], sampling)).encode()
                head = f"POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
                writer.write(head.encode() + body)
                rows[at] = row_of(prompts[at], sampling, await read_answer(reader))
            writer.close()

        tasks = [asyncio.create_task(work()) for _ in range(requests)]
        done, left = await asyncio.wait(tasks, timeout=max(1, deadline - time.monotonic()))
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for task in done:
            task.result()
        return [row for row in rows if row is not None]

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


async def read_answer(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    status = head.split(" ", 2)[1]
    length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length:"))
    body = await reader.readexactly(length)
    if status != "200":
        raise RuntimeError(f"the server answered {status}: {body[:500]}")
    return json.loads(body)


class MemoryWatch:
    """The most memory that the GPU's processes took, MiB, looked at twice a second."""

    def __init__(self, device):
        self.found = None
        self.ended = threading.Event()
        if device == "cuda":
            self.thread = threading.Thread(target=self.look, daemon=True)
            self.thread.start()

    def look(self):
        while not self.ended.wait(0.5):
            used = query("memory.used")
            self.found = max(self.found or 0, int(used)) if used and used.isdigit() else self.found

    def most(self):
        self.ended.set()
        return self.found


def query(fields):
    try:
        asked = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None


def machine():
    from importlib.metadata import PackageNotFoundError, version

    def of(name):
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    names = ("torch", "transformers", "tokenizers", "peft", "safetensors", "accelerate", "fastapi", "uvicorn", "gguf", "kernels", "flash-attn")
    return {"gpu": query("name,memory.total"), "python": sys.version.split()[0], "cores": os.cpu_count(), **{name: of(name) for name in names}}


def converted(source, target, parts, work):
    """The folder of the GGUF, equal byte for byte to the one that `bin/stp weights get` made."""
    from gguf import GGUFReader, dequantize

    gguf = os.path.join(work, "model.gguf")
    with open(gguf, "wb") as file:
        for part in parts:
            with open(os.path.join(part, "model.gguf.part"), "rb") as piece:
                shutil.copyfileobj(piece, file)
    os.makedirs(target)
    for name in os.listdir(source):
        if name.endswith(".json"):
            shutil.copy(os.path.join(source, name), target)
    with open(os.path.join(source, "config.json")) as file:
        config = json.load(file)
    with open(os.path.join(source, "header.bin"), "rb") as file:
        header = file.read()
    tensors = {tensor.name: tensor for tensor in GGUFReader(gguf).tensors}
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
    digest = hashlib.sha256(header)
    entries = {name: entry for name, entry in json.loads(header[8:]).items() if name != "__metadata__"}
    with open(os.path.join(target, "model.safetensors"), "wb") as file:
        file.write(header)
        for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"][0]):
            tensor = tensors[gguf_name(name)]
            values = dequantize(tensor.data, tensor.tensor_type).reshape(entry["shape"]).astype("<f4")
            turned = heads.get(name.split(".")[-2])
            if turned is not None:
                # llama.cpp turns neighbouring rows of a head against each other, Hugging Face the halves.
                rows, columns = values.shape
                values = values.reshape(turned, rows // turned // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
            content = values.tobytes()
            digest.update(content)
            file.write(content)
    with open(os.path.join(source, "sha256.txt")) as file:
        if file.read() != digest.hexdigest():
            raise RuntimeError("the converted weights differ from the prepared ones")
    return {"sha256": digest.hexdigest()}


NAMES = {
    "input_layernorm": "attn_norm", "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm", "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
}  # fmt: skip
OUTER = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def gguf_name(name):
    stem, _ = name.rsplit(".", 1)
    if stem in OUTER:
        return f"{OUTER[stem]}.weight"
    layer, part = stem.split(".")[2], stem.split(".")[-1]
    return f"blk.{layer}.{NAMES[part]}.weight"


def random_model(source, target):
    """Two layers of the same family with the same tokenizer, for a trial without the weights."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    os.makedirs(target)
    for name in os.listdir(source):
        if name.endswith(".json"):
            shutil.copy(os.path.join(source, name), target)
    config = AutoConfig.from_pretrained(target)
    config.num_hidden_layers = 2
    torch.manual_seed(1)
    AutoModelForCausalLM.from_config(config).save_pretrained(target)
    return {"random": True}


if __name__ == "__main__":
    main()
