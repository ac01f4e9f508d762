"""
Model folders in Hugging Face's form. Checks a folder before a library opens it, and writes our checkpoints
(`packages/language-model/checkpoint/`) with a manifest, under a temporary name that is then renamed. Needs no library.
"""

import hashlib
import json
import os
import secrets
import shutil
from dataclasses import dataclass

from failure import Failure, damaged, invalid_request, unwritable

WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = f"{WEIGHTS_FILE}.index.json"
ADAPTER_FILE = "adapter_model.safetensors"
ADAPTER_CONFIG_FILE = "adapter_config.json"
MANIFEST_FILE = "manifest.json"
# In the manifest's order (packages/language-model/checkpoint/manifest.ts).
FILES = (
    "config.json",
    "generation_config.json",
    WEIGHTS_FILE,
    "tokenizer.json",
    "tokenizer_config.json",
    "training.json",
    "chat_template.jinja",
    "special_tokens_map.json",
    ADAPTER_CONFIG_FILE,
    ADAPTER_FILE,
)
# Files copied from the folder that a training started from.
KEPT_FILES = ("config.json", "tokenizer.json")
KEPT_OR_EMPTY = ("generation_config.json", "tokenizer_config.json")
KEPT_IF_THERE = ("chat_template.jinja", "special_tokens_map.json")
# Loading such a file can run code that it contains.
PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
JSON_BYTES_MAX = 64 << 20
HEADER_BYTES_MAX = 64 << 20
MODEL_HEX_DIGITS = 20
HASH_BYTES_AT_ONCE = 1 << 24
DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class ModelConfig:
    """Facts about a model that this project uses; `context_length` is None if the model states no limit."""

    vocabulary_size: int
    context_length: int | None
    end_id: int
    # Type of the stored weights, one of DTYPES.
    dtype: str


def read_json(path):
    try:
        if os.path.getsize(path) > JSON_BYTES_MAX:
            raise damaged(path, f"more than {JSON_BYTES_MAX} bytes")
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except OSError as error:
        raise damaged(path, str(error))
    except ValueError as error:
        raise damaged(path, f"not JSON: {error}")
    if not isinstance(value, dict):
        raise damaged(path, "no JSON object")
    return value


def read_config(directory):
    """
    Reads `config.json`. Failure STP1302 if it is damaged, or if the folder needs code or a pickle of its own to run.
    """
    path = os.path.join(directory, "config.json")
    config = read_json(path)
    if config.get("auto_map"):
        advice = "Use a model of an architecture that transformers has itself. Code from a model's folder is never run."
        raise Failure("STP1302", f"{path}: the model wants code of its own to be run (auto_map)", advice)
    refuse_pickles(directory)
    # Models that also read images keep the sizes of their language model in a section.
    config = {**config, **(config.get("text_config") or {})}
    try:
        end_id = config.get("eos_token_id")
        if end_id is None:
            end_id = read_json(os.path.join(directory, "generation_config.json"))["eos_token_id"]
        dtype = config.get("dtype") or config.get("torch_dtype") or "float32"
        if dtype not in DTYPES:
            raise damaged(path, f"weights of type {dtype}; known are {', '.join(DTYPES)}")
        length = config.get("max_position_embeddings") or config.get("n_positions")
        found = ModelConfig(
            vocabulary_size=int(config["vocab_size"]),
            context_length=None if length is None else int(length),
            end_id=int(end_id[0] if isinstance(end_id, list) else end_id),
            dtype=dtype,
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise damaged(path, f"field {error}")
    if not 0 <= found.end_id < found.vocabulary_size:
        raise damaged(path, f"eos_token_id is {found.end_id}, the vocabulary has {found.vocabulary_size} tokens")
    return found


def refuse_pickles(directory):
    """Fails with STP1302 if the weights are only in pickles: reading a pickle can run any program."""
    names = sorted(os.listdir(directory))
    if any(name.endswith(".safetensors") for name in names):
        return
    pickled = [name for name in names if name.endswith(PICKLED)]
    if pickled:
        advice = "Get the model as safetensors: its repository often has a revision with them."
        raise Failure("STP1302", f"{os.path.join(directory, pickled[0])}: pickled weights are refused", advice)
    raise damaged(directory, f"neither {WEIGHTS_FILE} nor {INDEX_FILE} is there")


def tensor_shapes(directory):
    """Shapes of the tensors by name, read from the headers of the weights, in the order of the files."""
    index_path = os.path.join(directory, INDEX_FILE)
    names = [WEIGHTS_FILE]
    if os.path.exists(index_path):
        names = sorted(set(read_json(index_path).get("weight_map", {}).values()))
        if any(os.path.basename(name) != name for name in names):
            raise damaged(index_path, "a part that lies in another folder")
    shapes = {}
    for name in names:
        path = os.path.join(directory, name)
        try:
            with open(path, "rb") as file:
                size = int.from_bytes(file.read(8), "little")
                if size > HEADER_BYTES_MAX:
                    raise ValueError(f"header of {size} bytes")
                header = json.loads(file.read(size))
            tensors = [(entry["data_offsets"], tensor, entry["shape"]) for tensor, entry in header.items() if tensor != "__metadata__"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise damaged(path, str(error))
        shapes.update((tensor, tuple(shape)) for _, tensor, shape in sorted(tensors))
    return shapes


def check_manifest(directory):
    """Compares each file of our own checkpoint with its checksum; a folder from elsewhere has no checksums."""
    path = os.path.join(directory, MANIFEST_FILE)
    if not os.path.exists(path):
        if os.path.exists(os.path.join(directory, "training.json")):
            raise damaged(path, "missing, so the checkpoint was cut short")
        return
    manifest = read_json(path)
    try:
        for file in manifest["files"]:
            if file["name"] not in FILES:
                raise damaged(path, f"it names {file['name']}")
            found = file_sha256(os.path.join(directory, file["name"]))
            if found != file["sha256"]:
                raise damaged(os.path.join(directory, file["name"]), "checksum differs from the manifest")
    except (KeyError, TypeError) as error:
        raise damaged(path, f"field {error}")


def identity_of(directory):
    """
    Identity of a folder, which ties a training's state to it: the manifest's text, else the files' names and sizes.
    """
    manifest = os.path.join(directory, MANIFEST_FILE)
    if os.path.exists(manifest):
        with open(manifest, encoding="utf-8") as file:
            return file.read()
    return [[name, os.path.getsize(os.path.join(directory, name))] for name in sorted(os.listdir(directory))]


def file_sha256(path):
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while part := file.read(HASH_BYTES_AT_ONCE):
                digest.update(part)
    except OSError as error:
        raise damaged(path, str(error))
    return digest.hexdigest()


def write_checkpoint(directory, init_directory, save_weights, training):
    """
    Writes a checkpoint. `save_weights(folder)` puts the weights into a folder: `model.safetensors`, or the two files of
    an adapter. Its other files are dropped; the files beside the weights come from `init_directory`.
    """
    if os.path.isdir(directory) and os.listdir(directory):
        raise invalid_request(f"checkpoint {directory}: the folder is there and not empty", "Give an empty folder.")
    temporary = f"{os.path.abspath(directory)}.partial-{secrets.token_hex(6)}"
    try:
        os.makedirs(temporary)
        save_weights(temporary)
        for name in os.listdir(temporary):
            if name not in (WEIGHTS_FILE, ADAPTER_CONFIG_FILE, ADAPTER_FILE):
                os.remove(os.path.join(temporary, name))
            else:
                sync(os.path.join(temporary, name))
        for name in (*KEPT_FILES, *KEPT_OR_EMPTY, *KEPT_IF_THERE):
            copy_kept(init_directory, temporary, name)
        write_durably(os.path.join(temporary, "training.json"), json_bytes(training))
        seal(temporary)
        if os.path.isdir(directory):
            os.rmdir(directory)
        os.rename(temporary, directory)
    except OSError as error:
        raise unwritable(directory, error)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def copy_kept(source, target, name):
    path = os.path.join(source, name)
    if os.path.exists(path):
        with open(path, "rb") as file:
            write_durably(os.path.join(target, name), file.read())
    elif name in KEPT_OR_EMPTY:
        write_durably(os.path.join(target, name), b"{}\n")
    elif name in KEPT_FILES:
        raise damaged(path, "missing")


def seal(directory):
    """Writes the manifest of a folder that already has all other files."""
    files = []
    for name in FILES:
        path = os.path.join(directory, name)
        if os.path.exists(path):
            files.append({"name": name, "bytes": os.path.getsize(path), "sha256": file_sha256(path)})
    weights = next(file["sha256"] for file in files if file["name"] in (WEIGHTS_FILE, ADAPTER_FILE))
    manifest = {"format": "stp-checkpoint/1", "model": weights[:MODEL_HEX_DIGITS], "files": files}
    write_durably(os.path.join(directory, MANIFEST_FILE), json_bytes(manifest))


def write_durably(path, content):
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(path):
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def json_bytes(value):
    return (json.dumps(value, indent=2, allow_nan=False) + "\n").encode()
