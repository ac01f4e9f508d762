"""
Weights & Biases' own client in a separate process, so that a worker needs no Python to run. It reads JSON lines from
standard input and answers each with a line. The first line names the run, and the end of standard input ends it.
"""

import json
import os
import sys

# Standard output is only for answers; output of the client goes to the log.
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

import wandb  # noqa: E402


def begin(about: dict) -> "wandb.Run":
    settings = {"console": "off", "disable_git": True, "disable_code": True, "x_disable_stats": True}
    if os.environ.get("WANDB_MODE") not in ("offline", "disabled"):
        # Several machines write to one run, so the end of one machine must not end the run.
        settings |= {"mode": "shared", "x_label": about["label"], "x_update_finish_state": False}
    run = wandb.init(
        id=about["id"],
        name=about["name"],
        project=os.environ.get("WANDB_PROJECT") or about["project"],
        config=about["config"],
        dir=about["directory"],
        resume="allow",
        settings=wandb.Settings(**settings),
    )
    run.define_metric("round/number", hidden=True)
    run.define_metric("round/*", step_metric="round/number")
    run.define_metric("training/step", hidden=True)
    run.define_metric("training/*", step_metric="training/step")
    return run


def log(run: "wandb.Run", metrics: list) -> None:
    for row in metrics:
        steps = "round/number" if row["group"] == "round" else "training/step"
        values = {name: float(value) for name, value in row["values"].items()}
        run.log({**values, steps: row["step"], "_timestamp": row["seconds"]})


def end(run: "wandb.Run", message: dict) -> None:
    artifact = wandb.Artifact(f"report-{run.id}", type="report")
    for name, path in message["files"].items():
        artifact.add_file(path, name)
    if message["files"]:
        run.log_artifact(artifact)
    run.summary["status"] = message["status"]


def main() -> None:
    run = None
    failed = 0
    for line in sys.stdin:
        message = json.loads(line)
        if "begin" in message:
            run = begin(message["begin"])
        elif "metrics" in message:
            log(run, message["metrics"])
        else:
            end(run, message["end"])
            failed = int(message["end"]["status"] == "failed")
        try:
            answers.write(json.dumps({"done": message["number"], "url": run.url}) + "\n")
        except BrokenPipeError:
            # The worker is gone. Its metrics are still sent.
            break
    if run is not None:
        run.finish(exit_code=failed)


main()
