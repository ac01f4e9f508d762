"""A training from its request to its checkpoint: reads and tokenises, makes the model, runs the steps, writes the result."""

import math
import os
import shutil
import tempfile

import torch
from adamw import AdamW
from checkpoint_folder import Weights, check_manifest, read_config, write_checkpoint
from examples import open_tokenised, tokenise
from failure import Failure, damaged, invalid_request
from llama import Llama
from process_group import ProcessGroup
from request import request_hash
from sharding import ShardedModel
from steps import TRAINING_START, Training
from tokenizers import Tokenizer
from training_state import StateFolder

RECORDED = ("seed", "steps", "learningRate", "warmupSteps", "schedule", "weightDecay", "gradientClipNorm", "tokensPerStep")
# Of the request's hash, 60 bits: what a sum over processes can carry.
DIGEST_DIGITS_COMPARED = 15
# Order of a layer's tensors in a checkpoint (model/checkpoint/llama-tensors.ts): equal weights are equal files.
LAYER_TENSORS = (
    "input_layernorm",
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "post_attention_layernorm",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)


def train(request, reports):
    if request["device"] == "cuda" and not torch.cuda.is_available():
        advice = "Set engines.trainer.device to cpu, or use a node with a GPU."
        raise Failure("STP1301", "PyTorch finds no CUDA device", advice)
    torch.set_num_threads(request["threads"])
    group = ProcessGroup(request["device"], os.path.join(request["workDirectory"], "rendezvous"))
    if group.is_first:
        check_manifest(request["initDirectory"])
    config = read_config(request["initDirectory"])
    if request["contextLength"] > config.context_length:
        problem = f"contextLength is {request['contextLength']}, the model has {config.context_length}"
        raise invalid_request(problem, "Lower contextLength to the model's.")
    # Processes of one node share the tokenised examples.
    work = os.path.join(request["workDirectory"], "tokens")
    if group.size == 1:
        work = tempfile.mkdtemp(prefix="tokens-", dir=request["workDirectory"])
    try:
        if group.local_rank == 0:
            tokenise_all(request, config, work)
        group.barrier()
        run(request, reports, group, config, work)
        group.close()
    finally:
        if group.local_rank == 0:
            shutil.rmtree(work, ignore_errors=True)


def tokenise_all(request, config, work):
    os.makedirs(work, exist_ok=True)
    path = os.path.join(request["initDirectory"], "tokenizer.json")
    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:
        raise damaged(path, str(error))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if tokenizer.get_vocab_size() > config.vocabulary_size:
        raise damaged(path, f"{tokenizer.get_vocab_size()} tokens, the model has {config.vocabulary_size}")
    for name, examples in (("train", request["examplesPath"]), ("held-out", request["heldOutPath"])):
        if examples is not None:
            tokenise(examples, work, name, tokenizer, config.end_id, request["contextLength"])


def run(request, reports, group, config, work):
    examples = open_tokenised(work, "train")
    held_out = None if request["heldOutPath"] is None else open_tokenised(work, "held-out")
    if len(examples) == 0:
        problem = f"{request['examplesPath']} has no example to train on ({examples.too_long} are longer than the context)"
        raise invalid_request(problem, "Give examples of positive weight that fit contextLength, or raise contextLength.")
    sharded = load_model(request, group, config)
    optimizer = AdamW(sharded.local_parameters(), request["weightDecay"])
    parts = {"weight": optimizer.parameters, "first": optimizer.first, "second": optimizer.second}
    tensors = {f"{part}/{name}": tensor for part, named in parts.items() for name, tensor in named.items()}
    digest = request_hash(request, identity_of(request["initDirectory"]), group.size)
    if not group.all_equal(int(digest[:DIGEST_DIGITS_COMPARED], 16)):
        advice = "Give every node the same release of the worker and the same engines.trainer.base."
        raise invalid_request("the processes were given different examples, recipes or first weights", advice)
    state = None
    if request["stateDirectory"] is not None:
        state = StateFolder(request["stateDirectory"], digest, group, os.path.join(request["workDirectory"], "copying"))
    place = (state.load(tensors) if state else None) or TRAINING_START
    shapes = shapes_in_order(sharded.parameters, config.layers)
    reports.send(
        "started",
        processes=group.size,
        parameters=sum(math.prod(shape) for shape in shapes.values()),
        examples=len(examples),
        tooLong=examples.too_long,
        fromStep=place["step"],
    )
    training = Training(request, reports, group, sharded, optimizer, examples, held_out, state, tensors)
    place = training.run(place)
    final_loss = place["finalLossSum"] / place["finalWeight"]
    record = {name: request[name] for name in RECORDED}
    record |= {"tokens": place["tokens"], "finalLoss": final_loss, "parent": request["parent"]}
    held_out_loss = training.held_out_loss()
    directory, init = request["outputDirectory"], request["initDirectory"]
    write_checkpoint(directory, init, shapes, config.dtype, sharded.whole, record, group.is_first)
    result = {
        "steps": request["steps"],
        "finalLoss": final_loss,
        "heldOutLoss": held_out_loss,
        "tokens": place["tokens"],
        "seconds": place["seconds"],
        "tooLong": examples.too_long,
        "heldOutTooLong": held_out.too_long if held_out else 0,
    }
    reports.send("trained", result=result)


def load_model(request, group, config):
    with torch.device("meta"):
        model = Llama(config, request["recomputeActivations"])
    weights = Weights(request["initDirectory"])
    unknown = weights.names() - set(dict(model.named_parameters()))
    if unknown:
        raise damaged(request["initDirectory"], f"tensor {sorted(unknown)[0]} is not part of the model")
    return ShardedModel(model, group, request["parallelism"], request["precision"], weights)


def identity_of(directory):
    """What the state of a training is tied to: the manifest's text, or names and sizes of the files of a folder from elsewhere."""
    manifest = os.path.join(directory, "manifest.json")
    if os.path.exists(manifest):
        with open(manifest, encoding="utf-8") as file:
            return file.read()
    return [[name, os.path.getsize(os.path.join(directory, name))] for name in sorted(os.listdir(directory))]


def shapes_in_order(parameters, layers):
    names = ["model.embed_tokens.weight"]
    names += [f"model.layers.{layer}.{name}.weight" for layer in range(layers) for name in LAYER_TENSORS]
    names += ["model.norm.weight", "lm_head.weight"]
    return {name: tuple(parameters[name].shape) for name in names if name in parameters}
