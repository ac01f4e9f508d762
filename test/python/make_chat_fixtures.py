"""Renders chats by `apply_chat_template` of transformers.

stdin: {"templates": [{"name", "source", "names"}], "chats": [[messages]]}.
stdout: [{"name", "rendered": [text, or null where the template refuses the chat]}].
"""

import json
import sys

from jinja2.exceptions import TemplateError
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

asked = json.load(sys.stdin)


def rendered(tokenizer, chat):
    try:
        return tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    except TemplateError:
        return None


answers = []
for template in asked["templates"]:
    vocabulary = {token: index for index, token in enumerate(["<unk>", *template["names"].values()])}
    model = models.BPE(vocab=vocabulary, merges=[])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(model), **template["names"])
    tokenizer.chat_template = template["source"]
    answers.append({"name": template["name"], "rendered": [rendered(tokenizer, chat) for chat in asked["chats"]]})
json.dump(answers, sys.stdout, ensure_ascii=False)
