"""
Plays two rounds from SmolLM2 on this machine, and at the same time the control: the same first model, which never
trains again. Both are runs of the preset smollm2, in $STP_LEASE/runs.

    python3 run.py [ENGINE] [--config FILE]      ENGINE: llama-cpp:SEQUENCES, transformers:REQUESTS or embedded

The default ENGINE is llama.cpp if it samples fast by the first line of engines.jsonl, else the embedded engine. FILE
overrides settings of both runs.
"""

import argparse
import json
import os
import subprocess
import time

LEASE = os.environ["STP_LEASE"]
# Settings with which two runs fit into a quarter of an hour on 16 cores and an H100.
SETTINGS = {
    "modelThreads": 8,
    "verification": {"processes": 8},
    "sft": {"stepsMax": 150},
    "training": {"stepsMax": 40},
    "retrain": {"optimiser": {"stepsMax": 150}},
    "sampling": {"statementsPerShard": 60},
    "engines": {"trainer": {"python": f"{LEASE}/python3"}},
}
CONTROL = {"training": {"from": "none"}, "retrain": {"everyRounds": 0}, "verification": {"processes": 6}}
PORTS = {"loop": 8101, "control": 8102}
# At fewer tokens a second llama.cpp cannot be computing on the GPU.
FAST = 1500
MEASURED_WITHIN = 70


def merged(one, other):
    both = {name: merged(one[name], value) if isinstance(value, dict) and isinstance(one.get(name), dict) else value for name, value in other.items()}
    return {**one, **both}


def chosen_engine():
    """Waits for the measurement, which another process makes."""
    path = f"{LEASE}/engines.jsonl"
    deadline = time.monotonic() + MEASURED_WITHIN
    while time.monotonic() < deadline:
        if os.path.exists(path):
            with open(path) as file:
                line = file.readline()
            if line.endswith("\n"):
                row = json.loads(line)
                return row["engine"] if row.get("tokensPerSecond", 0) > FAST else "embedded"
        time.sleep(0.5)
    return "embedded"


def generator(engine, port):
    kind, _, size = engine.partition(":")
    if kind == "llama-cpp":
        return {"kind": kind, "contextLength": 1024, "sequences": int(size), "threads": max(1, min(4, os.cpu_count() // 2))}
    if kind == "transformers":
        return {"kind": kind, "contextLength": 1024, "requestsInFlight": int(size), "port": port, "memoryShare": 0.3}
    return {"kind": kind}


def start(name, settings, engine, *options):
    settings = merged(settings, {"engines": {"generator": generator(engine, PORTS[name])}})
    config = f"{LEASE}/{name}-config.json"
    with open(config, "w") as file:
        json.dump(settings, file, indent=1)
    log = open(f"{LEASE}/{name}.log", "ab")
    command = [f"{LEASE}/stp/bin/stp", "selfplay", "--preset", "smollm2", "--rounds", "2", "--run-dir", f"{LEASE}/runs/{name}", "--config", config]
    # Each run cleans up its scratch folder, so the two must differ.
    environment = {**os.environ, "STP_SCRATCH": f"{LEASE}/scratch-{name}"}
    return subprocess.Popen([*command, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", nargs="?")
    parser.add_argument("--config")
    arguments = parser.parse_args()
    settings = SETTINGS
    if arguments.config is not None:
        with open(arguments.config) as file:
            settings = merged(settings, json.load(file))
    began = time.monotonic()
    engine = arguments.engine or chosen_engine()
    print(f"{time.monotonic() - began:.0f} s: sampling by {engine}", flush=True)
    loop, control = start("loop", settings, engine), None
    states = f"{LEASE}/runs/loop/state"
    while loop.poll() is None or (control is not None and control.poll() is None):
        # The control begins with the state after the first training.
        if control is None and os.path.isdir(states) and os.listdir(states):
            print(f"{time.monotonic() - began:.0f} s: the control begins", flush=True)
            control = start("control", merged(settings, CONTROL), engine, "--init-from", f"{LEASE}/runs/loop", "--from-round", "sft")
        time.sleep(0.5)
    print(f"{time.monotonic() - began:.0f} s: ended with {loop.returncode} and {control and control.returncode}", flush=True)


if __name__ == "__main__":
    main()
