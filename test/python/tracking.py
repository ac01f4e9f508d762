"""What TensorBoard's own reader, MLflow's own client and Weights & Biases' own files say of a run that was logged."""

import glob
import json
import os
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
        for tag in accumulator.Tags()["tensors"]:
            plugin = accumulator.SummaryMetadata(tag).plugin_data.plugin_name
            rows = [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in accumulator.Tensors(tag)]
            if plugin == "text":
                texts[tag] = rows[0][1][0].decode()
            else:
                scalars[tag] = [(step, str(float(value.item()))) for step, value in rows]
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


def wandb(directory: str) -> list:
    """Offline runs, one for every process; `wandb sync` would send each to the run of its id."""
    from wandb.proto import wandb_internal_pb2
    from wandb.sdk.internal.datastore import DataStore

    found = []
    for path in sorted(glob.glob(os.path.join(directory, "wandb", "offline-run-*", "*.wandb"))):
        store = DataStore()
        store.open_for_scan(path)
        run = {"id": None, "project": None, "config": {}, "history": [], "artifacts": [], "exit": None}
        while (data := store.scan_data()) is not None:
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
# Libraries print what they like; the answer is the last line.
answer = {name: globals()[name](place) for name, place in asked.items()}
print(json.dumps(answer))
