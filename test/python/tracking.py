"""Reads a logged run by TensorBoard's own reader, MLflow's own client, and from Weights & Biases' own files."""

import glob
import json
import os
import struct
import sys


def tensorboard(directory: str) -> dict:
    from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
    from tensorboard.util import tensor_util

    multiplexer = EventMultiplexer(size_guidance={"scalars": 0, "tensors": 0})
    multiplexer.AddRunsFromDirectory(directory)
    multiplexer.Reload()
    scalars, texts = {}, {}
    for run in multiplexer.Runs():
        accumulator = multiplexer.GetAccumulator(run)
        for tag in accumulator.Tags()["scalars"]:
            scalars[tag] = [(event.step, str(event.value)) for event in accumulator.Scalars(tag)]
        for tag in accumulator.Tags()["tensors"]:
            assert accumulator.SummaryMetadata(tag).plugin_data.plugin_name == "text"
            texts[tag] = tensor_util.make_ndarray(accumulator.Tensors(tag)[0].tensor_proto)[0].decode()
    return {"runs": sorted(multiplexer.Runs()), "scalars": scalars, "texts": texts}


def mlflow(uri: str) -> list:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(uri)
    found = []
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            history = {
                name: [(metric.step, str(metric.value)) for metric in client.get_metric_history(run.info.run_id, name)]
                for name in run.data.metrics
            }
            files, folders = {}, [None]
            while folders:
                for file in client.list_artifacts(run.info.run_id, folders.pop()):
                    if file.is_dir:
                        folders.append(file.path)
                    else:
                        path = client.download_artifacts(run.info.run_id, file.path)
                        files[file.path] = open(path, encoding="utf-8").read()
            found.append(
                {
                    "experiment": experiment.name,
                    "name": run.info.run_name,
                    "status": run.info.status,
                    "params": run.data.params,
                    "history": history,
                    "files": files,
                }
            )
    return found


def log_records(path: str):
    """
    Reads a client file: seven bytes, then a LevelDB log with blocks of 32 KiB and records in one or several pieces.
    """
    data = open(path, "rb").read()
    at, whole = 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        length, kind = struct.unpack("<HB", data[at + 4 : at + 7])
        if kind == 0:
            return
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield whole
            whole = b""


def wandb(directory: str) -> list:
    """Reads offline runs, one per process; `wandb sync` would send each to the run with its id."""
    from wandb.proto import wandb_internal_pb2

    found = []
    for path in sorted(glob.glob(os.path.join(directory, "wandb", "offline-run-*", "*.wandb"))):
        run = {"id": None, "project": None, "config": {}, "history": [], "artifacts": [], "exit": None}
        for data in log_records(path):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            kind = record.WhichOneof("record_type")
            if kind == "run":
                run["id"], run["project"] = record.run.run_id, record.run.project
                for item in record.run.config.update:
                    run["config"][item.key] = json.loads(item.value_json)
            elif kind == "history":
                row = {".".join(item.nested_key) or item.key: item.value_json for item in record.history.item}
                run["history"].append({key: value for key, value in row.items() if not key.startswith("_")})
            elif kind == "artifact":
                run["artifacts"] += [entry.path for entry in record.artifact.manifest.contents]
            elif kind == "request" and record.request.WhichOneof("request_type") == "log_artifact":
                artifact = record.request.log_artifact.artifact
                run["artifacts"] += [entry.path for entry in artifact.manifest.contents]
            elif kind == "exit":
                run["exit"] = record.exit.exit_code
        found.append(run)
    return found


asked = json.load(sys.stdin)
# Libraries may print other lines; the answer is the last one.
answer = {name: globals()[name](place) for name, place in asked.items()}
print(json.dumps(answer))
