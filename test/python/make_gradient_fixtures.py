"""Writes test/fixtures/model/llama-gradients{,-untied}.json: loss and gradients of tiny Llamas in double precision.

Run once, by hand, with torch and transformers installed:  python test/python/make_gradient_fixtures.py
Tests only read the files. The models are transformers' LlamaForCausalLM. Weights are rounded to float32 first, so both
sides start from the same numbers. Each example runs alone: no packing, no padding.
"""

import base64
import json
import pathlib

import torch
import transformers

SHAPE = {
    "hiddenSize": 16,
    "layers": 2,
    "heads": 4,
    "keyValueHeads": 2,
    "feedForwardSize": 24,
    "vocabularySize": 19,
    "contextLength": 24,
}
# (length, tokens of the prompt, weight)
EXAMPLES = [(11, 4, 1.0), (7, 1, 0.25), (20, 13, 2.5), (5, 3, 0.8)]
FOLDER = pathlib.Path(__file__).parent.parent / "fixtures" / "model"
# Larger than usual, so that attention and norms are far from trivial.
DEVIATION = 0.4


def encode(tensor):
    return base64.b64encode(tensor.detach().float().contiguous().numpy().tobytes()).decode()


def write_fixture(name, tied):
    torch.manual_seed(20)
    config = transformers.LlamaConfig(
        vocab_size=SHAPE["vocabularySize"],
        hidden_size=SHAPE["hiddenSize"],
        intermediate_size=SHAPE["feedForwardSize"],
        num_hidden_layers=SHAPE["layers"],
        num_attention_heads=SHAPE["heads"],
        num_key_value_heads=SHAPE["keyValueHeads"],
        max_position_embeddings=SHAPE["contextLength"],
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        tie_word_embeddings=tied,
        attn_implementation="eager",
    )
    model = transformers.LlamaForCausalLM(config).double()
    with torch.no_grad():
        for parameter in model.parameters():
            fresh = torch.randn(parameter.shape) * DEVIATION + (1.0 if parameter.dim() == 1 else 0.0)
            parameter.copy_(fresh.float().double())
    examples = [
        {"tokens": torch.randint(0, SHAPE["vocabularySize"], (length,)).tolist(), "promptLength": prompt, "weight": weight}
        for length, prompt, weight in EXAMPLES
    ]
    total = sum(e["weight"] * (len(e["tokens"]) - e["promptLength"]) for e in examples)
    loss = torch.zeros((), dtype=torch.float64)
    for example in examples:
        tokens = torch.tensor([example["tokens"]])
        output = model(tokens).logits[0]
        scored = output[example["promptLength"] - 1 : -1]
        negative = -torch.log_softmax(scored, dim=-1)
        picked = negative.gather(1, tokens[0, example["promptLength"] :, None])
        loss = loss + example["weight"] * picked.sum() / total
    loss.backward()
    fixture = {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "shape": SHAPE if tied else {**SHAPE, "tiedEmbeddings": False},
        "examples": examples,
        "loss": loss.item(),
        "parameters": {name: encode(value) for name, value in model.named_parameters()},
        "gradients": {name: encode(value.grad) for name, value in model.named_parameters()},
    }
    path = FOLDER / name
    path.write_text(json.dumps(fixture, indent=1) + "\n")
    print(path, path.stat().st_size, "bytes, loss", loss.item())


if __name__ == "__main__":
    write_fixture("llama-gradients.json", tied=True)
    write_fixture("llama-gradients-untied.json", tied=False)
