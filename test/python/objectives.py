"""
Computes the objectives a second time, directly from their papers, with transformers in double precision. Compares the
loss and the gradient of every weight with those of the embedded trainer (given), of the PyTorch trainer and, for DPO,
of TRL. JSON in, JSON out: the differences.
"""

import json
import math
import os
import sys

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "packages", "language-model", "trainers", "python"))
from checkpoint_folder import read_config  # noqa: E402
from language_model import LanguageModel  # noqa: E402
from objectives import evaluate, objective_of  # noqa: E402
from process_group import ProcessGroup  # noqa: E402
from scoring import log_probabilities  # noqa: E402
from steps import Training  # noqa: E402
from training_set import open_tokenised, tokenise  # noqa: E402

torch.set_num_threads(1)
asked = json.load(sys.stdin)
MODELS, DIRECTORY = asked["models"], asked["directory"]
TOKENIZER = Tokenizer.from_file(os.path.join(MODELS["current"], "tokenizer.json"))
END = read_config(MODELS["current"]).end_id


def wide_model(name):
    return AutoModelForCausalLM.from_pretrained(MODELS[name], dtype=torch.float64).eval()


WIDE = {name: wide_model(name) for name in MODELS}


def tokens_logprobs(name, prompt, target):
    """Computes log p of each target token and of the end after them."""
    first = TOKENIZER.encode(prompt).ids
    ids = torch.tensor([[*first, *TOKENIZER.encode(target, add_special_tokens=False).ids, END]])
    table = torch.log_softmax(WIDE[name](input_ids=ids).logits[0], dim=-1)
    return torch.stack([table[at - 1, ids[0, at]] for at in range(len(first), ids.shape[1])])


def frozen(name, prompt, target):
    with torch.no_grad():
        return tokens_logprobs(name, prompt, target)


def grpo(case):
    config, per_token, drawn = case["objective"], [], []
    for row in case["rows"]:
        pi = tokens_logprobs("current", row["prompt"], row["target"])
        old = frozen("first", row["prompt"], row["target"])
        reference = frozen("reference", row["prompt"], row["target"])
        advantage = row["advantage"]
        if row["logprob"] is not None:
            advantage *= min(math.exp(old.sum().item() - row["logprob"]), config["importanceMax"])
        losses = []
        for now, then, other in zip(pi, old, reference):
            rho = (now - then).exp()
            low, high = 1 - config["clipLow"], 1 + config["clipHigh"]
            bounded = low if rho.item() < low else high if rho.item() > high else rho
            # PPO takes the smaller of two gains; the dual clip bounds it from below by c·A.
            gain = min(advantage * rho, advantage * bounded, key=float)
            if advantage < 0:
                gain = max(gain, torch.tensor(config["dualClip"] * advantage, dtype=torch.float64), key=float)
            r = (other - now).exp()
            estimate = {"k1": now - other, "k2": 0.5 * (now - other) ** 2, "k3": r - 1 - r.log()}[config["klEstimator"]]
            losses.append(-gain + config["klCoefficient"] * estimate)
        for _ in range(row["weight"]):
            per_token.append(torch.stack([torch.as_tensor(loss) for loss in losses]))
            drawn.append(row)
    sums, means = [own.sum() for own in per_token], [own.mean() for own in per_token]
    return {
        "token-mean": lambda: torch.cat(per_token).mean(),
        "seq-mean-token-sum": lambda: torch.stack(sums).mean(),
        "seq-mean-token-mean": lambda: torch.stack(means).mean(),
        "seq-mean-token-sum-norm": lambda: torch.stack(sums).mean() / config["lengthNorm"],
    }[config["aggregation"]]()


def dpo(case):
    losses = []
    for row in case["rows"]:
        ratio = {}
        for side in ("chosen", "rejected"):
            pi = tokens_logprobs("current", row["prompt"], row[side]).sum()
            ratio[side] = pi - frozen("reference", row["prompt"], row[side]).sum()
        losses.append((1 + (-case["objective"]["beta"] * (ratio["chosen"] - ratio["rejected"])).exp()).log())
    return torch.stack(losses).mean()


def gfn(case):
    config, total, weights = case["objective"], 0.0, 0.0

    def policy(prompt, text):
        """Computes log π / π_ref^prior."""
        own = tokens_logprobs("current", prompt, text).sum()
        return own - config["prior"] * frozen("reference", prompt, text).sum() if config["prior"] > 0 else own

    for at, row in enumerate(case["rows"]):
        of_group = []
        surplus = []
        for trajectory in row["trajectories"]:
            states = trajectory["states"]
            forward = [policy(s["prompt"], a) for s, a in zip(states, trajectory["targets"])]
            stop = [
                torch.zeros((), dtype=torch.float64) if s["stop"] is None else policy(s["prompt"], s["stop"])
                for s in states
            ]
            back = [s["logBackward"] for s in states]
            surplus.append(sum(forward) + stop[-1] - sum(back[1:]) - states[-1]["logReward"])
            n, numerator, denominator = len(forward), 0.0, 0.0
            for i in range(n):
                for j in range(i + 1, n + 1):
                    # F(s_i) · Π π = F(s_j) · Π P_B with F(s) = R(s) / π(stop | s).
                    left = states[i]["logReward"] - stop[i] + sum(forward[i:j])
                    right = states[j]["logReward"] - stop[j] + sum(back[i + 1 : j + 1])
                    numerator = numerator + config["lambda"] ** (j - i - 1) * (left - right) ** 2
                    denominator += config["lambda"] ** (j - i - 1)
            of_group.append(numerator / denominator)
        surplus = torch.stack(surplus)
        loss = {
            "trajectory": lambda: ((case["variables"][at] + surplus) ** 2).mean() if case["variables"] else None,
            "variance": lambda: surplus.var(unbiased=False),
            "subtrajectory": lambda: torch.stack(of_group).mean(),
        }[config["balance"]]()
        total = total + row["weight"] * loss
        weights += row["weight"]
    return total / weights


def of_transformers(case):
    model = WIDE["current"]
    model.zero_grad()
    loss = {"grpo": grpo, "dpo": dpo, "gfn": gfn}[case["objective"]["kind"]](case)
    loss.backward()
    return loss.item(), {name: tensor.grad.clone() for name, tensor in model.named_parameters()}


REQUEST = {
    "precision": "float32",
    "floatMasters": True,
    "attention": "auto",
    "recomputeActivations": False,
    "lora": None,
    "seed": 1,
    "parallelism": "replicated",
    "contextLength": asked["contextLength"],
    "microBatchTokens": 200,
}


def of_trainer(case, number):
    group = ProcessGroup("cpu", "")
    request = {**REQUEST, "objective": case["objective"]}
    folder = os.path.join(DIRECTORY, f"tokens-{number}")
    os.makedirs(folder)
    tokenise(case["recordsPath"], folder, "train", case["objective"], TOKENIZER, END, asked["contextLength"])
    training_set = open_tokenised(folder, "train")
    model_of = lambda name: LanguageModel(request, group, MODELS[name], MODELS[name], read_config(MODELS[name]))  # noqa: E731
    sequences = range(len(training_set.lengths))
    kept = {name: log_probabilities(model_of(name), request, training_set, sequences) for name in ("first", "reference")}
    model, objective = model_of("current"), objective_of(case["objective"])
    variables = torch.tensor(case["variables"], dtype=torch.float64)
    if case["objective"]["kind"] == "gfn":
        objective.variable_count(training_set.numbers)
    training = Training(request, None, group, model, None, objective, training_set, None, kept, variables, None)
    records = range(len(training_set))
    loss, slopes, _ = evaluate(objective, training.items(records, list(sequences)), variables)
    weights = [-slope for of_item in slopes for slope in of_item]
    training.backward(list(sequences), lambda at: weights[at])
    return loss, {name: tensor.grad for name, tensor in model.module.named_parameters()}


def of_trl(case):
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=TOKENIZER, eos_token=TOKENIZER.id_to_token(END), pad_token=TOKENIZER.id_to_token(END))
    narrow = {name: AutoModelForCausalLM.from_pretrained(MODELS[name], dtype=torch.float32) for name in ("current", "reference")}
    options = DPOConfig(
        output_dir=os.path.join(DIRECTORY, "trl"),
        beta=case["objective"]["beta"],
        per_device_train_batch_size=len(case["rows"]),
        gradient_checkpointing=False,
        use_cpu=True,
        bf16=False,
        report_to=[],
    )
    rows = Dataset.from_list([{name: row[name] for name in ("prompt", "chosen", "rejected")} for row in case["rows"]])
    trainer = DPOTrainer(
        model=narrow["current"], ref_model=narrow["reference"], args=options, train_dataset=rows, processing_class=tokenizer
    )
    loss = trainer.compute_loss(narrow["current"].eval(), next(iter(trainer.get_train_dataloader())))
    loss.backward()
    return loss.item(), {name: tensor.grad for name, tensor in narrow["current"].named_parameters()}


def furthest(mine, others):
    if set(mine) != set(others):
        raise ValueError(f"other parameters: {set(mine) ^ set(others)}")
    return max((mine[name].double() - others[name].double()).abs().max().item() for name in mine)


answers = {}
for number, case in enumerate(asked["cases"]):
    expected_loss, expected = of_transformers(case)
    answer = {"loss": expected_loss, "largest": max(gradient.abs().max().item() for gradient in expected.values())}
    sides = {"embedded": (case["loss"], load_file(case["gradientPath"])), "pytorch": of_trainer(case, number)}
    if case["objective"]["kind"] == "dpo":
        sides["trl"] = of_trl(case)
    for side, (loss, gradient) in sides.items():
        answer[side] = {"loss": abs(loss - expected_loss), "gradient": furthest(gradient, expected)}
    answers[case["name"]] = answer
json.dump(answers, sys.stdout)
