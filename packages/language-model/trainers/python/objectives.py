"""
The training objectives (packages/config/schemas/objectives/index.ts, docs/decisions/0030). The loss of a step is a
function of the log-probabilities of the targets. PyTorch differentiates it by these; the model's gradient is then that
of Σ slope · log p.
"""

import torch
import torch.nn.functional as F

# Bounds on differences of log-probabilities, and on estimates of the divergence, as in veRL.
DIFFERENCE_MAX = 20
DIVERGENCE_MAX = 10


class Item:
    """A record in a step, with log-probabilities of its sequences' target tokens, float64; None if not needed."""

    def __init__(self, numbers, weight, lengths, current, first, reference):
        self.numbers, self.weight, self.lengths = numbers, weight, lengths
        self.current, self.first, self.reference = current, first, reference


class Likelihood:
    """Σ weight · −log p / Σ weight over the target tokens. Its slopes do not depend on the model."""

    needs_current = needs_first = needs_reference = False

    def __init__(self, config):
        del config

    def weight(self, items):
        return sum(item.weight * item.lengths[0] for item in items)

    def slopes(self, items):
        weight = self.weight(items)
        return [[torch.full((item.lengths[0],), -item.weight / weight, dtype=torch.float64)] for item in items]


class Policy:
    """GRPO: the clipped surrogate at each token, plus the weighted divergence from the reference."""

    needs_current = needs_first = True

    def __init__(self, config):
        self.config = config
        self.needs_reference = config["klCoefficient"] > 0

    def weight(self, items):
        return sum(item.weight * item.lengths[0] for item in items)

    def loss(self, items, variables):
        config = self.config
        sequences, tokens = sum(item.weight for item in items), self.weight(items)
        loss = torch.zeros((), dtype=torch.float64)
        for item in items:
            length = item.lengths[0]
            share = {
                "token-mean": 1 / tokens,
                "seq-mean-token-sum": 1 / sequences,
                "seq-mean-token-mean": 1 / (sequences * length),
                "seq-mean-token-sum-norm": 1 / (sequences * config["lengthNorm"]),
            }[config["aggregation"]]
            of_tokens = self.surrogate(item)
            if config["klCoefficient"] > 0:
                of_tokens = of_tokens + config["klCoefficient"] * self.divergence(item.current[0] - item.reference[0])
            loss = loss + item.weight * share * of_tokens.sum()
        return loss

    def surrogate(self, item):
        config, (current,), (first,) = self.config, item.current, item.first
        advantage = item.numbers["advantage"]
        if item.numbers["logprob"] is not None:
            difference = torch.clamp(first.sum() - item.numbers["logprob"], -DIFFERENCE_MAX, DIFFERENCE_MAX)
            advantage = advantage * torch.clamp(torch.exp(difference), max=config["importanceMax"]).item()
        ratio = torch.exp(torch.clamp(current - first, -DIFFERENCE_MAX, DIFFERENCE_MAX))
        plain = -advantage * ratio
        clipped = -advantage * torch.clamp(ratio, 1 - config["clipLow"], 1 + config["clipHigh"])
        # `torch.maximum` would split the gradient between equal values; here the unclipped one gets all of it.
        bounded = torch.where(plain >= clipped, plain, clipped)
        return torch.clamp(bounded, max=-advantage * config["dualClip"]) if advantage < 0 else bounded

    def divergence(self, difference):
        estimator = self.config["klEstimator"]
        if estimator == "k1":
            return difference
        if estimator == "k2":
            return difference**2 / 2
        back = torch.clamp(-difference, -DIFFERENCE_MAX, DIFFERENCE_MAX)
        return torch.clamp(torch.exp(back) - back - 1, max=DIVERGENCE_MAX)


class Preference:
    """DPO: −log σ(β · margin), where the margin is log(π/π_ref) of the chosen target minus that of the rejected one."""

    needs_current = needs_reference = True
    needs_first = False

    def __init__(self, config):
        self.beta = config["beta"]

    def weight(self, items):
        return sum(item.weight for item in items)

    def loss(self, items, variables):
        weight = self.weight(items)
        loss = torch.zeros((), dtype=torch.float64)
        for item in items:
            chosen, rejected = ((now - then).sum() for now, then in zip(item.current, item.reference))
            loss = loss - item.weight / weight * F.logsigmoid(self.beta * (chosen - rejected))
        return loss


class Flow:
    """GFlowNet balances over trajectories of states. Each group's log Z is a variable of the objective."""

    needs_current = True
    needs_first = False

    def __init__(self, config):
        self.config = config
        self.needs_reference = config["prior"] > 0
        self.places = {}

    def weight(self, items):
        return sum(item.weight for item in items)

    def variable_count(self, numbers):
        if self.config["balance"] == "trajectory":
            for group in numbers:
                self.places.setdefault(group["group"], len(self.places))
        return len(self.places)

    def loss(self, items, variables):
        weight = self.weight(items)
        loss = torch.zeros((), dtype=torch.float64)
        for item in items:
            trajectories = list(self.trajectories(item))
            if self.config["balance"] == "subtrajectory":
                of_group = torch.stack([self.stretches(*trajectory) for trajectory in trajectories]).mean()
            else:
                surplus = torch.stack([whole(*trajectory) for trajectory in trajectories])
                is_learned = self.config["balance"] == "trajectory"
                log_z = variables[self.places[item.numbers["group"]]] if is_learned else -surplus.mean()
                of_group = ((log_z + surplus) ** 2).mean()
            loss = loss + item.weight / weight * of_group
        return loss

    def trajectories(self, item):
        """
        Yields numbers, and log-probabilities minus priors of steps and of stops (None if the policy has no choice).
        """
        priors = [self.config["prior"] * tokens.sum() for tokens in item.reference] if self.needs_reference else [0] * len(item.current)
        totals = iter([tokens.sum() - prior for tokens, prior in zip(item.current, priors)])
        for numbers in item.numbers["trajectories"]:
            steps = [next(totals) for _ in numbers["logRewards"][1:]]
            stops = [next(totals) if asked else None for asked in numbers["stops"]]
            yield numbers, steps, stops

    def stretches(self, numbers, steps, stops):
        """Sub-trajectory balance: Σ λ^(n−1) (surplus of a stretch of n steps)² / Σ λ^(n−1)."""
        flows = [reward if stop is None else reward - stop for reward, stop in zip(numbers["logRewards"], stops)]
        surpluses = [
            flows[at] + step - numbers["logBackward"][at + 1] - flows[at + 1] for at, step in enumerate(steps)
        ]
        loss, weights = torch.zeros((), dtype=torch.float64), 0.0
        for length in range(1, len(steps) + 1):
            for start in range(len(steps) - length + 1):
                weight = self.config["lambda"] ** (length - 1)
                loss = loss + weight * sum(surpluses[start : start + length]) ** 2
                weights += weight
        return loss / weights


def whole(numbers, steps, stops):
    """Surplus of a whole trajectory: log P_F − log P_B − log R."""
    forward = sum(steps) + (0 if stops[-1] is None else stops[-1])
    return forward - sum(numbers["logBackward"][1:]) - numbers["logRewards"][-1]


OBJECTIVES = {"likelihood": Likelihood, "grpo": Policy, "dpo": Preference, "gfn": Flow}


def objective_of(config):
    return OBJECTIVES[config["kind"]](config)


def evaluate(objective, items, variables):
    """Loss (None if the backward pass gives it), slopes as lists of lists of tensors, and the variables' gradient."""
    if not objective.needs_current:
        return None, objective.slopes(items), None
    for item in items:
        item.current = [tokens.detach().requires_grad_() for tokens in item.current]
    variables = variables.detach().requires_grad_()
    loss = objective.loss(items, variables)
    loss.backward()
    slopes = [[tokens.grad for tokens in item.current] for item in items]
    return loss.item(), slopes, variables.grad
