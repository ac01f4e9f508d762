"""
Checkpoint folders as in `model/checkpoint/`: read from ours or from a Llama in Hugging Face's form, written with a
manifest under a temporary name and renamed. Tensors pass one at a time, so that memory need not hold a model twice.
"""

import ctypes
import hashlib
import json
import os
import secrets
import shutil
import zlib
from dataclasses import dataclass

import torch
from failure import damaged, invalid_request, unwritable
from safetensors import safe_open

WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = f"{WEIGHTS_FILE}.index.json"
MANIFEST_FILE = "manifest.json"
# In the manifest's order.
FILES = ("config.json", "generation_config.json", WEIGHTS_FILE, "tokenizer.json", "tokenizer_config.json", "training.json")
KEPT_FILES = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json")
JSON_BYTES_MAX = 64 << 20
MODEL_HEX_DIGITS = 20
ALIGNMENT_BYTES = 8
HASH_BYTES_AT_ONCE = 1 << 24
ROPE_THETA_DEFAULT = 10_000.0
DTYPES = {"float32": ("F32", torch.float32), "bfloat16": ("BF16", torch.bfloat16), "float16": ("F16", torch.float16)}


@dataclass(frozen=True)
class LlamaConfig:
    hidden_size: int
    layers: int
    heads: int
    key_value_heads: int
    head_size: int
    feed_forward_size: int
    vocabulary_size: int
    context_length: int
    tied_embeddings: bool
    rms_epsilon: float
    rope_theta: float
    end_id: int
    # What the weights are stored in, a key of DTYPES.
    dtype: str


def read_json(path):
    try:
        if os.path.getsize(path) > JSON_BYTES_MAX:
            raise damaged(path, f"more than {JSON_BYTES_MAX} bytes")
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise damaged(path, str(error))
    except ValueError as error:
        raise damaged(path, f"not JSON: {error}")


def read_config(directory):
    """Failure STP1302 where the folder has no Llama that this trainer computes as its `config.json` says."""
    path = os.path.join(directory, "config.json")
    config = read_json(path)
    try:
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        kind = rope.get("rope_type", rope.get("type", "default"))
        wanted = {"model_type": "llama", "hidden_act": "silu"}
        refused = [f"{name} is {config[name]}" for name, value in wanted.items() if config[name] != value]
        refused += [f"{name} is set" for name in ("attention_bias", "mlp_bias") if config.get(name)]
        refused += [f"rope type is {kind}"] if kind != "default" else []
        if refused:
            raise damaged(path, f"not a Llama that this trainer knows: {', '.join(refused)}")
        end_id = config["eos_token_id"]
        dtype = config.get("torch_dtype") or config.get("dtype") or "float32"
        if dtype not in DTYPES:
            raise damaged(path, f"weights of type {dtype}")
        return LlamaConfig(
            hidden_size=int(config["hidden_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            key_value_heads=int(config.get("num_key_value_heads") or config["num_attention_heads"]),
            head_size=int(config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]),
            feed_forward_size=int(config["intermediate_size"]),
            vocabulary_size=int(config["vocab_size"]),
            context_length=int(config["max_position_embeddings"]),
            tied_embeddings=bool(config.get("tie_word_embeddings", False)),
            rms_epsilon=float(config["rms_norm_eps"]),
            rope_theta=float(rope.get("rope_theta") or config.get("rope_theta") or ROPE_THETA_DEFAULT),
            end_id=int(end_id[0] if isinstance(end_id, list) else end_id),
            dtype=dtype,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"field {error}")


class Weights:
    """The tensors of a folder by name, read when they are asked for."""

    def __init__(self, directory):
        index_path = os.path.join(directory, INDEX_FILE)
        if os.path.exists(index_path):
            places = read_json(index_path).get("weight_map", {})
            names = sorted(set(places.values()))
            if any(os.path.basename(name) != name for name in names):
                raise damaged(index_path, "a part that lies in another folder")
        else:
            places, names = None, [WEIGHTS_FILE]
        self._directory = directory
        self._place = {}
        self._open = {}
        for name in names:
            path = os.path.join(directory, name)
            try:
                self._open[name] = safe_open(path, framework="pt")
            except Exception as error:
                raise damaged(path, str(error))
            for tensor in self._open[name].keys():
                self._place[tensor] = name
        if places is not None and self._place != places:
            raise damaged(index_path, "it does not name the tensors of its parts")

    def names(self):
        return set(self._place)

    def whole(self, name):
        if name not in self._place:
            raise damaged(self._directory, f"tensor {name} is missing")
        tensor = self._open[self._place[name]].get_tensor(name)
        if not torch.isfinite(tensor).all():
            raise damaged(self._directory, f"tensor {name} holds a value that is not finite")
        return tensor

    def tensor(self, name, shape):
        tensor = self.whole(name)
        if tensor.shape != shape:
            raise damaged(self._directory, f"tensor {name} is {tuple(tensor.shape)}, expected {tuple(shape)}")
        return tensor


def check_manifest(directory):
    """Name of the model in a checkpoint of ours, each file held against its checksum; null for a folder from elsewhere."""
    path = os.path.join(directory, MANIFEST_FILE)
    if not os.path.exists(path):
        if os.path.exists(os.path.join(directory, "training.json")):
            raise damaged(path, "missing, so the checkpoint was cut short")
        return None
    manifest = read_json(path)
    try:
        for file in manifest["files"]:
            if file["name"] not in FILES:
                raise damaged(path, f"it names {file['name']}")
            found = file_sha256(os.path.join(directory, file["name"]))
            if found != file["sha256"]:
                raise damaged(os.path.join(directory, file["name"]), "checksum differs from the manifest")
        return str(manifest["model"])
    except (KeyError, TypeError) as error:
        raise damaged(path, f"field {error}")


def file_sha256(path):
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while part := file.read(HASH_BYTES_AT_ONCE):
                digest.update(part)
    except OSError as error:
        raise damaged(path, str(error))
    return digest.hexdigest()


def write_checkpoint(directory, init_directory, shapes, dtype, tensor_of, training, writes):
    """
    Every process calls `tensor_of(name)` for each of `shapes` in order, since a tensor may have to be brought together from
    all of them; the one that `writes` makes the folder. The files beside the weights are those of `init_directory`.
    """
    temporary = f"{os.path.abspath(directory)}.partial-{secrets.token_hex(6)}"
    if not writes:
        for name in shapes:
            tensor_of(name)
        return
    if os.path.isdir(directory) and os.listdir(directory):
        raise invalid_request(f"checkpoint {directory}: the folder is there and not empty", "Give an empty folder.")
    try:
        os.makedirs(temporary)
        for name in KEPT_FILES:
            copy_kept(init_directory, temporary, name)
        write_durably(os.path.join(temporary, "training.json"), json_bytes(training))
        write_weights(os.path.join(temporary, WEIGHTS_FILE), shapes, dtype, tensor_of)
        seal(temporary)
        if os.path.isdir(directory):
            os.rmdir(directory)
        os.rename(temporary, directory)
    except OSError as error:
        raise unwritable(directory, str(error))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def copy_kept(source, target, name):
    path = os.path.join(source, name)
    if os.path.exists(path):
        with open(path, "rb") as file:
            write_durably(os.path.join(target, name), file.read())
    elif name in ("generation_config.json", "tokenizer_config.json"):
        write_durably(os.path.join(target, name), b"{}\n")
    else:
        raise damaged(path, "missing")


def seal(directory):
    """Writes the manifest of a folder that has all other files."""
    files = []
    for name in FILES:
        path = os.path.join(directory, name)
        files.append({"name": name, "bytes": os.path.getsize(path), "sha256": file_sha256(path)})
    model = next(file["sha256"] for file in files if file["name"] == WEIGHTS_FILE)[:MODEL_HEX_DIGITS]
    manifest = {"format": "stp-checkpoint/1", "model": model, "files": files}
    write_durably(os.path.join(directory, MANIFEST_FILE), json_bytes(manifest))


def write_weights(path, shapes, dtype, tensor_of):
    code, torch_type = DTYPES[dtype]
    entries = {name: (code, torch_type, torch.Size(shape)) for name, shape in shapes.items()}
    write_safetensors(path, entries, tensor_of, {"format": "pt"})


def write_safetensors(path, entries, tensor_of, metadata):
    """
    The safetensors format: length of the header, the header, the tensors in order. The same tensors give the same bytes.
    `entries`: name to (code of the type, the type, shape). Returns the CRC-32 of the tensors' bytes.
    """
    header, offset = {"__metadata__": metadata}, 0
    for name, (code, torch_type, shape) in entries.items():
        end = offset + torch_type.itemsize * shape.numel()
        header[name] = {"dtype": code, "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT_BYTES)
    checksum = 0
    with open(path, "xb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, (_, torch_type, _) in entries.items():
            tensor = tensor_of(name).detach().to("cpu", torch_type).contiguous()
            content = bytes_of(tensor)
            file.write(content)
            checksum = zlib.crc32(content, checksum)
        file.flush()
        os.fsync(file.fileno())
    return checksum


def bytes_of(tensor):
    """The memory of a contiguous tensor on the processor, not copied; it must outlive what is returned."""
    return memoryview((ctypes.c_char * tensor.nbytes).from_address(tensor.data_ptr()) if tensor.nbytes else b"")


def write_durably(path, content):
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def json_bytes(value):
    return (json.dumps(value, indent=2, allow_nan=False) + "\n").encode()
