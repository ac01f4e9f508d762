"""
Trains a language model with transformers, peft and PyTorch: weighted examples and a checkpoint folder in, a checkpoint
folder out (the `Trainer` port of packages/language-model/trainer.ts). Run `python train.py --request FILE`; with RANK
and WORLD_SIZE set it is one process of several. Reports its progress in JSON Lines on standard output. Needs the
packages of the environment `pytorch` (infra/bootstrap/pins.json). Uses no network.
"""

import argparse
import os
import threading
import traceback

from failure import Failure
from reports import Reports


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--request", required=True)
    arguments = parser.parse_args()
    reports = Reports(speaks=os.environ.get("LOCAL_RANK", os.environ.get("RANK", "0")) == "0")
    if os.environ.get("STP_ENDS_WITH_STDIN") == "1":
        threading.Thread(target=end_with_parent, daemon=True).start()
    # Keeps libraries from using the internet.
    os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="true")
    try:
        from request import read_request

        request = read_request(arguments.request)
        # Imported here, because loading PyTorch takes seconds and a wrong request fails before.
        from training import train

        train(request, reports)
    except Failure as failure:
        give_up(reports, failure)
    except ModuleNotFoundError as error:
        advice = "Install infra/bootstrap/locks/pytorch.txt for the Python of engines.trainer."
        give_up(reports, Failure("STP1301", f"Python has no module {error.name}", advice))
    except Exception as error:
        traceback.print_exc()
        memory = "out of memory" in str(error).lower() or "can't allocate memory" in str(error).lower()
        advice = "Lower microBatchTokens, recompute activations, or use more processes with fsdp."
        advice = advice if memory else "The trainer's log says where."
        give_up(reports, Failure("STP1301", f"{type(error).__name__}: {str(error)[:2000]}", advice, retryable=memory))


def give_up(reports, failure):
    reports.failed(failure)
    # `sys.exit` would end the process group, which may wait for processes that wait for this one.
    os._exit(1)


def end_with_parent():
    """Ends the trainer when its parent has died, because nobody would use the result."""
    while os.read(0, 1024):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
