"""
Writes a small random T5 over bytes, exports it in each decoder form of `optimum-cli export onnx`, and reports what
transformers computes with it. JSON in: directory, seed, requests (text, prefix), beams, lengthPenalties, maxTokens.
"""

import json
import os
import sys

import torch
from optimum.exporters.onnx import main_export
from transformers import ByT5Tokenizer, T5Config, T5ForConditionalGeneration

FORMS = {
    "merged": {"task": "text2text-generation-with-past"},
    "split": {"task": "text2text-generation-with-past", "no_post_process": True},
    "plain": {"task": "text2text-generation"},
}


def make(asked):
    torch.manual_seed(asked["seed"])
    config = T5Config(
        vocab_size=384,
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=3,
        num_decoder_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        dropout_rate=0.0,
        initializer_factor=2.0,
    )
    model = T5ForConditionalGeneration(config).eval()
    with torch.no_grad():
        # Scales the weights so that texts end at all lengths and attention is not uniform.
        model.lm_head.weight.mul_(0.1)
        model.lm_head.weight[1].mul_(2)
        for block in model.decoder.block:
            block.layer[1].EncDecAttention.o.weight.mul_(4)
    return model


def references(model, tokenizer, asked):
    for request in asked["requests"]:
        ids = tokenizer(request["text"], return_tensors="pt")
        begun = [0, *tokenizer(request["prefix"], add_special_tokens=False).input_ids]
        decoder = torch.tensor([begun])
        with torch.no_grad():
            logits = model(**ids, decoder_input_ids=decoder).logits[0, -1]
            hidden = model.encoder(**ids).last_hidden_state[0].mean(0)
        common = {"decoder_input_ids": decoder, "do_sample": False, "max_new_tokens": asked["maxTokens"]}
        greedy = model.generate(**ids, **common)[0, len(begun) :].tolist()
        beams = []
        for penalty in asked["lengthPenalties"]:
            found = model.generate(
                **ids,
                **common,
                num_beams=asked["beams"],
                num_return_sequences=asked["beams"],
                length_penalty=penalty,
                early_stopping=False,
                return_dict_in_generate=True,
                output_scores=True,
            )
            beams.append(
                {
                    "sequences": [row[len(begun) :].tolist() for row in found.sequences],
                    "scores": found.sequences_scores.tolist(),
                    "texts": tokenizer.batch_decode(found.sequences, skip_special_tokens=True),
                }
            )
        yield {
            "inputIds": ids.input_ids[0].tolist(),
            "logProbabilities": logits.log_softmax(-1).tolist(),
            "embedding": (hidden / hidden.norm()).tolist(),
            "greedy": greedy,
            "beams": beams,
        }


asked = json.load(sys.stdin)
model, tokenizer = make(asked), ByT5Tokenizer()
source = os.path.join(asked["directory"], "source")
model.save_pretrained(source)
tokenizer.save_pretrained(source)
answers = os.fdopen(os.dup(1), "w")
# The exporter's output must not mix with the answer.
os.dup2(2, 1)
for form, options in FORMS.items():
    main_export(source, os.path.join(asked["directory"], form), do_validation=False, **options)
json.dump(list(references(model, tokenizer, asked)), answers)
answers.flush()
