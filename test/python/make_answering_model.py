"""Makes a Qwen3 of some thousand weights that writes only the given answers, with equal probability, and rarely ends.

stdin: {"directory": FOLDER, "answers": [TEXT…]}. An answer is one token of its tokenizer.
"""

import json
import sys

import torch
from make_tiny_qwen import tokenizer
from tokenizers import AddedToken
from transformers import Qwen3Config, Qwen3ForCausalLM

#: Difference between an answer's logit and any other token's.
LOGITS_APART = 40.0
#: The end's logit, as a share of an answer's: e^3 times less likely. Clients take an empty answer for a failure.
END_SHARE = 0.85

wanted = json.load(sys.stdin)
tokens = tokenizer(chat_template=True)
tokens.add_tokens([AddedToken(answer, normalized=False, special=False) for answer in wanted["answers"]])
torch.manual_seed(3)
model = Qwen3ForCausalLM(
    Qwen3Config(
        vocab_size=len(tokens),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=2048,
        tie_word_embeddings=False,
        eos_token_id=tokens.eos_token_id,
        pad_token_id=tokens.pad_token_id,
    )
)
with torch.no_grad():
    # All embeddings are equal, so the last hidden state is the same after any text.
    model.model.embed_tokens.weight.fill_(0.5)
    last = model.model(torch.tensor([[0, 1]])).last_hidden_state[0, -1]
    direction = last / last.dot(last) * LOGITS_APART / 2
    model.lm_head.weight.copy_(-direction.expand_as(model.lm_head.weight))
    model.lm_head.weight[tokens.convert_tokens_to_ids(wanted["answers"])] = direction
    model.lm_head.weight[tokens.eos_token_id] = direction * END_SHARE
model.generation_config.do_sample = True
model.generation_config.eos_token_id = tokens.eos_token_id
model.generation_config.pad_token_id = tokens.pad_token_id
model.save_pretrained(wanted["directory"])
tokens.save_pretrained(wanted["directory"])
json.dump({"tokens": len(tokens)}, sys.stdout)
