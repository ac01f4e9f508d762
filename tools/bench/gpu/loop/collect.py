"""
Waits at most SECONDS until the runs of run.py have ended. Then packs their present files, without checkpoints, into a
folder and prints their progress.

    python3 collect.py FOLDER SECONDS [--stop NAME]    --stop: ends NAME (loop or control) after its round, with a
    report
"""

import glob
import os
import re
import subprocess
import sys
import tarfile
import time

LEASE = os.environ["STP_LEASE"]
LEFT_OUT = {"checkpoints", "temporal", "data"}
FILES = ("*.log", "*.out", "*.jsonl", "*.json", "*.csv")
LINES = 10


def ended():
    path = f"{LEASE}/run.out"
    if not os.path.exists(path):
        return False
    with open(path) as file:
        return re.search(r"^\d+ s: ended", file.read(), re.MULTILINE) is not None


def show(path):
    if os.path.exists(path):
        with open(path, errors="replace") as file:
            print(f"--- {path}\n" + "".join(file.readlines()[-LINES:]), flush=True)


def stop(name):
    listed = subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True, check=True).stdout
    server = next(line for line in listed.splitlines() if f"{LEASE}/runs/{name}/" in line and "start-dev" in line)
    port = re.search(r"--port (\d+)", server)[1]
    update = ["workflow", "update", "execute", "--address", f"127.0.0.1:{port}", "--workflow-id", f"stp/{name}", "--name", "stopAfterRound"]
    subprocess.run([server.split()[0], *update], check=False)


def main():
    folder, seconds = sys.argv[1], float(sys.argv[2])
    if "--stop" in sys.argv:
        stop(sys.argv[-1])
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not ended():
        time.sleep(1)
    for name in ("loop", "control"):
        run = f"{LEASE}/runs/{name}"
        if os.path.isdir(run):
            with tarfile.open(f"{folder}/{name}.tar.xz", "w:xz", preset=1) as packed:
                for part in sorted(set(os.listdir(run)) - LEFT_OUT):
                    packed.add(f"{run}/{part}", f"{name}/{part}")
    with tarfile.open(f"{folder}/logs.tar.xz", "w:xz", preset=1) as packed:
        for path in [path for pattern in FILES for path in glob.glob(f"{LEASE}/{pattern}")]:
            packed.add(path, os.path.basename(path))
    for name in ("run.out", "loop.log", "control.log", "engines.jsonl", "engines.out"):
        show(f"{LEASE}/{name}")


if __name__ == "__main__":
    main()
