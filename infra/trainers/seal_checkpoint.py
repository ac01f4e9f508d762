"""
Turns a Hugging Face export of a training into a checkpoint folder of this project: weights in one file, the other files
from the checkpoint folder that the training started from, a record, a manifest. `python seal_checkpoint.py --request FILE`.
"""

import argparse
import json

from failure import Failure, damaged
from reports import Reports


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
    from checkpoint_folder import Weights, read_config, write_checkpoint
    from llama import Llama
    from training import shapes_in_order

    config = read_config(request["initDirectory"])
    with torch.device("meta"):
        parameters = dict(Llama(config, False).named_parameters())
    shapes = shapes_in_order(parameters, config.layers)
    weights = Weights(request["exportDirectory"])
    # Some exports repeat a tied head.
    unknown = weights.names() - set(shapes) - {"lm_head.weight"}
    if unknown:
        raise damaged(request["exportDirectory"], f"tensor {sorted(unknown)[0]} is not part of the model")

    def tensor_of(name):
        whole = weights.whole(name)
        # Levanter rounds the vocabulary up to what divides among devices.
        return whole[: shapes[name][0]] if name in ("model.embed_tokens.weight", "lm_head.weight") else whole

    write_checkpoint(
        request["outputDirectory"],
        request["initDirectory"],
        shapes,
        config.dtype,
        tensor_of,
        request["training"],
        True,
    )


if __name__ == "__main__":
    main()
