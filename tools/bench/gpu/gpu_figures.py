"""Facts about the machine, and memory in use on its GPU."""

import os
import subprocess
import sys
import threading


class MemoryWatch:
    """Peak memory of the GPU's processes, MiB, measured twice a second."""

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
