"""
Serves a checkpoint folder by `transformers serve` with continuous batching: an OpenAI-compatible server that lists the
model under the given name alone. Needs the packages of the environment `pytorch` (infra/bootstrap/pins.json). Nothing is
fetched from anywhere. What goes wrong before it serves is said in one line on standard error.
"""

import argparse
import json
import logging
import os
import socket
import sys
import threading
import traceback

# What transformers needs to serve, and does not need to train.
NEEDED = ("fastapi", "openai", "pydantic", "starlette", "uvicorn")
REVISION = "0" * 40
HOST = "127.0.0.1"
WEIGHTS = (".safetensors", ".safetensors.index.json")
COPIED = ("config.json", "tokenizer_config.json", "chat_template.jinja", "special_tokens_map.json")
# Tokens of a key-value cache are held in pages.
PAGE_TOKENS = 256
# Tokens of one pass; more would fill attention's mask, which is passes by cache.
BATCH_TOKENS = 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--work", required=True, help="empty folder")
    parser.add_argument("--name", required=True, help="as OWNER/NAME")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--device", choices=("cpu", "cuda"), required=True)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), required=True)
    parser.add_argument("--requests", type=int, required=True, help="requests at once")
    parser.add_argument("--memory-share", type=float, default=0.9, help="of the free memory, at most for the cache")
    parser.add_argument("--context", type=int, help="tokens of a prompt and its answer; else the model's")
    arguments = parser.parse_args()
    if os.environ.get("STP_ENDS_WITH_STDIN") == "1":
        threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        missing = [name for name in NEEDED if not has_module(name)]
        if missing:
            give_up(f"Python has no module {', '.join(missing)}, which `transformers serve` needs")
        if not is_free(arguments.port):
            give_up(f"another program already uses port {arguments.port}: end it, or set engines.generator.port")
        lay_out(arguments.directory, arguments.name, arguments.work)
        # Before the first import of a library of Hugging Face, which reads them then.
        os.environ.update(HF_HUB_CACHE=arguments.work, HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")
        serve(arguments)
    except Exception as error:
        traceback.print_exc()
        said = " ".join(str(error).split()) or type(error).__name__
        give_up(f"{arguments.directory} cannot be served: {said[:200]}")


def has_module(name):
    from importlib.util import find_spec

    return find_spec(name) is not None


def is_free(port):
    """Asked before the weights are read, which takes long."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def give_up(message):
    print(message, file=sys.stderr, flush=True)
    # Not `sys.exit`: threads of the libraries may hold the process.
    os._exit(1)


def lay_out(directory, name, cache):
    """
    Puts the checkpoint into `cache` as the hub's library would, because a server lists only what lies there. The weights are links. In the
    copies, answers keep every token but the end, and nothing but temperature and top-p changes the distribution: else the library
    decodes greedily, or among the fifty likeliest tokens.
    """
    root = os.path.join(cache, "models--" + name.replace("/", "--"))
    target = os.path.join(root, "snapshots", REVISION)
    os.makedirs(target)
    os.makedirs(os.path.join(root, "refs"))
    with open(os.path.join(root, "refs", "main"), "w") as file:
        file.write(REVISION)
    source = os.path.abspath(directory)
    files = os.listdir(source)
    if not any(file.endswith(WEIGHTS[0]) for file in files):
        raise ValueError("the folder has no safetensors")
    for file in files:
        if file.endswith(WEIGHTS) or file in COPIED:
            os.symlink(os.path.join(source, file), os.path.join(target, file))
    config = read(source, "config.json")
    given = read(source, "generation_config.json") if "generation_config.json" in files else {}
    end = next((one["eos_token_id"] for one in (given, config) if one.get("eos_token_id") is not None), None)
    ends = end if isinstance(end, list) else [end]
    if not all(isinstance(one, int) for one in ends):
        raise ValueError("no file of it says which token ends a text (eos_token_id)")
    sampling = {"do_sample": True, "temperature": 1.0, "top_p": 1.0, "top_k": 0}
    write(target, "generation_config.json", {**sampling, "eos_token_id": end, "pad_token_id": ends[0]})
    tokenizer = read(source, "tokenizer.json")
    for token in tokenizer.get("added_tokens", []):
        token["special"] = token["id"] in ends
    write(target, "tokenizer.json", tokenizer)
    if "tokenizer_config.json" not in files or read(source, "tokenizer_config.json") == {}:
        if os.path.lexists(os.path.join(target, "tokenizer_config.json")):
            os.remove(os.path.join(target, "tokenizer_config.json"))
        write(target, "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"})


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def write(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(value, file)


def serve(arguments):
    from transformers.cli.serve import Serve

    # Two lines for each request would fill the log.
    logging.getLogger("uvicorn.access").addFilter(lambda _: False)
    Serve(
        force_model=arguments.name,
        continuous_batching=True,
        device=arguments.device,
        dtype=arguments.precision,
        host=HOST,
        port=arguments.port,
        log_level="error",
        cb_num_blocks=pages(arguments),
        cb_max_batch_tokens=max(BATCH_TOKENS, 2 * arguments.requests),
    )


def pages(arguments):
    """
    Pages of the cache: what all requests fill at their longest and one more, or as many as the share of the free memory holds. The
    library would take nearly all memory, that of the processor too.
    """
    import psutil
    import torch
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(arguments.name).get_text_config()
    context = arguments.context or config.max_position_embeddings
    pages_of_one = -(-context // PAGE_TOKENS)
    free = torch.cuda.mem_get_info()[0] if arguments.device == "cuda" else psutil.virtual_memory().available
    number_bytes = 2 if arguments.precision == "bfloat16" else 4
    files = [os.path.join(arguments.directory, name) for name in os.listdir(arguments.directory)]
    weights = sum(os.path.getsize(path) for path in files if path.endswith(WEIGHTS[0]))
    heads = config.num_key_value_heads or config.num_attention_heads
    head_size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    page_bytes = 2 * config.num_hidden_layers * heads * head_size * PAGE_TOKENS * number_bytes
    fitting = int(arguments.memory_share * max(0, free - weights) / page_bytes)
    if fitting <= pages_of_one:
        raise ValueError(f"{free / 2**30:.1f} GiB are free, too little for its weights and one request of {context} tokens")
    return min(arguments.requests * pages_of_one + 1, fitting)


def end_with_parent():
    """Ends the server when its parent has died."""
    while os.read(0, 1024):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
