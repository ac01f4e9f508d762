"""Makes the model folder on the leased machine: from the GGUF's parts, or random for a trial."""

import hashlib
import json
import os
import shutil


def converted(source, target, parts, work):
    """Converts the GGUF to a folder, byte for byte equal to that of `bin/stp weights get`."""
    from gguf import GGUFReader, dequantize

    gguf = os.path.join(work, "model.gguf")
    with open(gguf, "wb") as file:
        for part in parts:
            with open(os.path.join(part, "model.gguf.part"), "rb") as piece:
                shutil.copyfileobj(piece, file)
    os.makedirs(target)
    for name in os.listdir(source):
        if name.endswith(".json"):
            shutil.copy(os.path.join(source, name), target)
    with open(os.path.join(source, "config.json")) as file:
        config = json.load(file)
    with open(os.path.join(source, "header.bin"), "rb") as file:
        header = file.read()
    tensors = {tensor.name: tensor for tensor in GGUFReader(gguf).tensors}
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
    digest = hashlib.sha256(header)
    entries = {name: entry for name, entry in json.loads(header[8:]).items() if name != "__metadata__"}
    with open(os.path.join(target, "model.safetensors"), "wb") as file:
        file.write(header)
        for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"][0]):
            tensor = tensors[gguf_name(name)]
            values = dequantize(tensor.data, tensor.tensor_type).reshape(entry["shape"]).astype("<f4")
            turned = heads.get(name.split(".")[-2])
            if turned is not None:
                # llama.cpp rotates neighbouring rows of a head together; Hugging Face rotates the two halves.
                rows, columns = values.shape
                values = values.reshape(turned, rows // turned // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
            content = values.tobytes()
            digest.update(content)
            file.write(content)
    with open(os.path.join(source, "sha256.txt")) as file:
        if file.read() != digest.hexdigest():
            raise RuntimeError("the converted weights differ from the prepared ones")
    return {"sha256": digest.hexdigest()}


NAMES = {
    "input_layernorm": "attn_norm", "q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm", "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down",
}  # fmt: skip
OUTER = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def gguf_name(name):
    stem, _ = name.rsplit(".", 1)
    if stem in OUTER:
        return f"{OUTER[stem]}.weight"
    layer, part = stem.split(".")[2], stem.split(".")[-1]
    return f"blk.{layer}.{NAMES[part]}.weight"


def random_model(source, target):
    """Makes a model of two layers in the same family, with the same tokenizer, for a trial without the weights."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    os.makedirs(target)
    for name in os.listdir(source):
        if name.endswith(".json"):
            shutil.copy(os.path.join(source, name), target)
    config = AutoConfig.from_pretrained(target)
    config.num_hidden_layers = 2
    torch.manual_seed(1)
    AutoModelForCausalLM.from_config(config).save_pretrained(target)
    return {"random": True}
