"""
Makes a checkpoint folder of this project from a Hugging Face export of a training. It has the tensors of the initial
checkpoint folder with the export's values, the other files of that folder, a record and a manifest.
`python seal_checkpoint.py --request FILE`.
"""

import argparse
import json
import os

from failure import Failure, damaged
from reports import Reports

# Tensors whose vocabulary Levanter rounds up, so that it divides among devices.
PADDED = ("model.embed_tokens.weight", "lm_head.weight")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--request", required=True)
    arguments = parser.parse_args()
    reports = Reports(speaks=True)
    try:
        with open(arguments.request, encoding="utf-8") as file:
            seal(json.load(file))
        reports.send("sealed")
    except Failure as failure:
        reports.failed(failure)
        raise SystemExit(1)


def seal(request):
    import torch
    from checkpoint_folder import WEIGHTS_FILE, read_config, tensor_shapes, write_checkpoint
    from safetensors.torch import load_file, save_file

    init, export = request["initDirectory"], request["exportDirectory"]
    dtype = getattr(torch, read_config(init).dtype)
    shapes = tensor_shapes(init)
    found = {}
    for name in sorted(os.listdir(export)):
        if name.endswith(".safetensors"):
            try:
                found.update(load_file(os.path.join(export, name)))
            except Exception as error:
                raise damaged(os.path.join(export, name), str(error))
    # Some exports contain a tied head a second time.
    unknown = set(found) - set(shapes) - {"lm_head.weight"}
    if unknown:
        raise damaged(export, f"tensor {sorted(unknown)[0]} is not part of the model")

    def tensor_of(name, shape):
        if name not in found:
            raise damaged(export, f"tensor {name} is missing")
        tensor = found[name][: shape[0]] if name in PADDED else found[name]
        if tuple(tensor.shape) != shape:
            raise damaged(export, f"tensor {name} is {tuple(tensor.shape)}, expected {shape}")
        if not torch.isfinite(tensor).all():
            raise damaged(export, f"tensor {name} holds a value that is not finite")
        return tensor.to(dtype).contiguous()

    def save_weights(folder):
        tensors = {name: tensor_of(name, shape) for name, shape in shapes.items()}
        save_file(tensors, os.path.join(folder, WEIGHTS_FILE), {"format": "pt"})

    write_checkpoint(request["outputDirectory"], init, save_weights, request["training"])


if __name__ == "__main__":
    main()
