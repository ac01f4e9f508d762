"""A training from its request to its checkpoint: tokenises, makes the model, runs the steps, writes the result."""

import os
import shutil
import tempfile

import torch
from checkpoint_folder import ADAPTER_FILE, check_manifest, identity_of, read_config, write_checkpoint
from failure import Failure, damaged, invalid_request
from kept_logprobs import kept_logprobs
from language_model import LanguageModel
from objectives import objective_of
from process_group import ProcessGroup
from records import LIKELIHOOD
from request import request_hash
from scoring import log_probabilities
from steps import TRAINING_START, Optimizer, Training
from tokenizers import Tokenizer
from training_set import open_tokenised, tokenise
from training_state import StateFolder

RECORDED = ("seed", "steps", "learningRate", "warmupSteps", "schedule", "weightDecay", "gradientClipNorm", "tokensPerStep")
# Hex digits of the request's hash that processes compare: 60 bits, which a sum over processes can carry.
DIGEST_DIGITS_COMPARED = 15


def train(request, reports):
    if request["device"] == "cuda" and not torch.cuda.is_available():
        advice = "Set engines.trainer.device to cpu, or use a node with a GPU."
        raise Failure("STP1301", "PyTorch finds no CUDA device", advice)
    torch.set_num_threads(request["threads"])
    group = ProcessGroup(request["device"], os.path.join(request["workDirectory"], "rendezvous"))
    folder, base = folders_of(request)
    if group.is_first:
        check_manifest(folder)
    config = read_config(base)
    if config.context_length is not None and request["contextLength"] > config.context_length:
        problem = f"contextLength is {request['contextLength']}, the model has {config.context_length}"
        raise invalid_request(problem, "Lower contextLength to the model's.")
    # The processes of a node share the tokenised examples.
    work = os.path.join(request["workDirectory"], "tokens")
    if group.size == 1:
        work = tempfile.mkdtemp(prefix="tokens-", dir=request["workDirectory"])
    try:
        if group.local_rank == 0:
            tokenise_all(request, config, work)
        group.barrier()
        run(request, reports, group, config, (folder, base), work)
        group.close()
    finally:
        if group.local_rank == 0:
            shutil.rmtree(work, ignore_errors=True)


def folders_of(request):
    """Folders of the initial values and of the whole model, which differ if the first contains only an adapter."""
    folder, base = request["initDirectory"], request["baseDirectory"]
    if not os.path.exists(os.path.join(folder, ADAPTER_FILE)):
        if request["lora"] is not None and request["lora"]["output"] == "separate" and folder != base:
            advice = "Start from engines.trainer.base or an adapter of it, or set engines.trainer.lora.output to merged."
            raise invalid_request(f"a separate adapter of {folder} would be served with {base}", advice)
        return folder, folder
    if request["lora"] is None:
        advice = "Set engines.trainer.lora as it was when the adapter was trained."
        raise invalid_request(f"{folder} holds an adapter, not a whole model", advice)
    if base is None:
        raise invalid_request(f"{folder} holds an adapter", "Set engines.trainer.base to the model that it belongs to.")
    return folder, base


def tokenise_all(request, config, work):
    os.makedirs(work, exist_ok=True)
    path = os.path.join(request["initDirectory"], "tokenizer.json")
    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:
        raise damaged(path, str(error))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    largest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
    if largest >= config.vocabulary_size:
        raise damaged(path, f"the tokenizer has a token {largest}, the model {config.vocabulary_size} tokens from 0 on")
    sets = (("train", request["examplesPath"], request["objective"]), ("held-out", request["heldOutPath"], LIKELIHOOD))
    for name, records, objective in sets:
        if records is not None:
            tokenise(records, work, name, objective, tokenizer, config.end_id, request["contextLength"])


def run(request, reports, group, config, folders, work):
    training_set = open_tokenised(work, "train")
    held_out = None if request["heldOutPath"] is None else open_tokenised(work, "held-out")
    if len(training_set) == 0:
        problem = f"{request['examplesPath']} has no example to train on ({training_set.too_long} are longer than the context)"
        raise invalid_request(problem, "Give examples of positive weight that fit contextLength, or raise contextLength.")
    folder, base = folders
    objective = objective_of(request["objective"])
    reference = request["referenceDirectory"] if objective.needs_reference else None
    models = [*dict.fromkeys(folders), *([] if reference is None else [reference])]
    digest = request_hash(request, [identity_of(path) for path in models])
    if not group.all_equal(int(digest[:DIGEST_DIGITS_COMPARED], 16)):
        advice = "Give every node the same release of the worker and the same engines.trainer.base."
        raise invalid_request("the processes were given different examples, recipes or first weights", advice)
    kept = {}

    def keep(name, scored):
        compute = lambda: log_probabilities(scored, request, training_set, range(len(training_set.lengths)))  # noqa: E731
        length = training_set.target_starts()[-1]
        kept[name] = kept_logprobs(name, request["stateDirectory"], digest, group, compute, length)

    if reference is not None:
        # Frees the memory of the reference before the trained model is read.
        keep("reference", LanguageModel(request, group, *folders_of({**request, "initDirectory": reference}), config))
    model = LanguageModel(request, group, folder, base, config)
    for name, is_needed in (("first", objective.needs_first), ("reference", objective.needs_reference)):
        if is_needed and name not in kept:
            # Without another reference model the first weights are the reference.
            keep(name, model)
    if not model.keeps_apart:
        print("Examples of this model are not packed: they would see one another in a row.")
    optimizer = Optimizer(model, request)
    is_flow = request["objective"]["kind"] == "gfn"
    variables = torch.zeros(objective.variable_count(training_set.numbers) if is_flow else 0, dtype=torch.float64)
    if len(variables) > 0:
        optimizer.tensors["objective/variables"] = variables
    state = None
    if request["stateDirectory"] is not None:
        state = StateFolder(request["stateDirectory"], digest, group, os.path.join(request["workDirectory"], "copying"))
    place = (state.load(optimizer.tensors) if state else None) or TRAINING_START
    optimizer.set_step(place["step"])
    reports.send(
        "started",
        processes=group.size,
        parameters=model.count(),
        examples=len(training_set),
        tooLong=training_set.too_long,
        fromStep=place["step"],
    )
    training = Training(request, reports, group, model, optimizer, objective, training_set, held_out, kept, variables, state)
    place = training.run(place)
    if request["device"] == "cuda":
        held, taken = torch.cuda.max_memory_allocated() / 2**30, torch.cuda.max_memory_reserved() / 2**30
        print(f"most memory on this GPU: {held:.1f} GiB in tensors, {taken:.1f} GiB taken from the driver", flush=True)
    final_loss = place["finalLossSum"] / place["finalWeight"]
    record = {name: request[name] for name in RECORDED}
    record |= {"tokens": place["tokens"], "finalLoss": final_loss, "parent": request["parent"]}
    held_out_loss = training.held_out_loss()
    tensors = model.gathered()
    if group.is_first:
        write_checkpoint(request["outputDirectory"], base, lambda target: model.save(target, tensors), record)
    group.barrier()
    result = {
        "steps": request["steps"],
        "finalLoss": final_loss,
        "heldOutLoss": held_out_loss,
        "tokens": place["tokens"],
        "seconds": place["seconds"],
        "tooLong": training_set.too_long,
        "heldOutTooLong": held_out.too_long if held_out else 0,
    }
    reports.send("trained", result=result)
