"""Trains small tokenizers of the kinds of open models, and writes them with `tokenizers`' encodings of some texts.

stdin: {"texts": [what they learn from], "asked": [texts to encode]}. stdout: [{"name", "file", "encoded", "decoded"}].
"""

import json
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
# Splits like Qwen2: contractions, words, single digits, signs, line ends, white space.
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def byte_level(alphabet, steps, normalizer=None):
    tokenizer = Tokenizer(models.BPE())
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, trainers.BpeTrainer(
        vocab_size=420, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )


def with_spaces():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    return tokenizer, trainers.BpeTrainer(
        vocab_size=480, special_tokens=special, limit_alphabet=60, show_progress=False
    )


def smollm():
    # Some bytes have no token, as in SmolLM2.
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())[:230]
    return byte_level(
        alphabet,
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)],
    )


def qwen():
    return byte_level(
        pre_tokenizers.ByteLevel.alphabet(),
        [
            pre_tokenizers.Split(Regex(QWEN), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ],
        normalizers.NFC(),
    )


def llama():
    tokenizer, trainer = with_spaces()
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer, trainer


def mistral():
    tokenizer, trainer = with_spaces()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=True)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer, trainer


asked = json.load(sys.stdin)
answers = []
for name, make in {"smollm": smollm, "qwen": qwen, "llama": llama, "mistral": mistral}.items():
    tokenizer, trainer = make()
    tokenizer.train_from_iterator(asked["texts"], trainer)
    if name in ("llama", "mistral"):
        # These are tokens of the model that are not matched in a text.
        begins = ("<s>", tokenizer.token_to_id("<s>"))
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[begins])
    if name == "qwen":
        tokenizer.add_tokens([AddedToken("<think>", normalized=False, special=False)])
    encoded = [tokenizer.encode(text).ids for text in asked["asked"]]
    decoded = [tokenizer.decode(ids, skip_special_tokens=False) for ids in encoded]
    answers.append(
        {"name": name, "file": json.loads(tokenizer.to_str()), "encoded": encoded, "decoded": decoded}
    )
json.dump(answers, sys.stdout, ensure_ascii=False)
