"""Makes a random Qwen3 of some thousand weights with a byte-level tokenizer and Qwen's chat template, laid out as in the
hub's cache, so that a server lists it as `stp/tiny-qwen`.

stdin: {"cache": FOLDER, "chatTemplate": bool}. stdout: {"name": ..., "directory": ...}.
"""

import json
import os
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

NAME = "stp/tiny-qwen"
REVISION = "0" * 40
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer(chat_template: bool) -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={letter: index for index, letter in enumerate(alphabet)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    raw.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    fast = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    if chat_template:
        fast.chat_template = CHATML
    return fast


def main() -> None:
    wanted = json.load(sys.stdin)
    root = os.path.join(wanted["cache"], "models--" + NAME.replace("/", "--"))
    directory = os.path.join(root, "snapshots", REVISION)
    os.makedirs(directory)
    os.makedirs(os.path.join(root, "refs"))
    with open(os.path.join(root, "refs", "main"), "w") as file:
        file.write(REVISION)
    tokens = tokenizer(wanted["chatTemplate"])
    torch.manual_seed(7)
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokens),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
            max_position_embeddings=4096,
            eos_token_id=tokens.eos_token_id,
            pad_token_id=tokens.pad_token_id,
        )
    )
    # Without this, `transformers serve` decodes greedily at every temperature.
    model.generation_config.do_sample = True
    model.generation_config.eos_token_id = tokens.eos_token_id
    model.generation_config.pad_token_id = tokens.pad_token_id
    model.save_pretrained(directory)
    tokens.save_pretrained(directory)
    json.dump({"name": NAME, "directory": directory}, sys.stdout)


if __name__ == "__main__":
    main()
