"""`transformers serve` on a folder, as `engines.generator.kind=transformers` starts it, and a client that keeps it busy."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

PORT = 23_456
START_SECONDS_MAX = 240
SERVER = "remote/transformers/serve_checkpoint.py"


def row_of(prompt, sampling, answer):
    """Makes a sample for `judge.ts`, cut at the first stop text."""
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
        command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), SERVER), "--directory", model, "--name", self.NAME]
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
        """Returns rows in the order of the prompts; answers that miss the deadline are left out."""
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
