"""
AdamW (Loshchilov and Hutter 2019) as in `model/embedded/training/adamw.ts`: STP's moments (stp.md §2.10), weight decay
decoupled and scaled by the learning rate. Matrices decay; norms and the embedding do not.
"""

import math

import torch

FIRST_DECAY = 0.9
SECOND_DECAY = 0.95
EPSILON = 1e-8
EMBEDDING = "model.embed_tokens.weight"


class AdamW:
    """Over local tensors by name, changed in place."""

    def __init__(self, parameters, weight_decay):
        self.parameters = parameters
        self.weight_decay = weight_decay
        self.first = {name: torch.zeros_like(tensor) for name, tensor in parameters.items()}
        self.second = {name: torch.zeros_like(tensor) for name, tensor in parameters.items()}

    @torch.no_grad()
    def step(self, number, gradients, scale, learning_rate):
        """`number` counts from 1; `scale` is what clipping multiplies the gradients by."""
        root = math.sqrt(1 - SECOND_DECAY**number)
        rate = learning_rate * root / (1 - FIRST_DECAY**number)
        for name, weight in self.parameters.items():
            slope = gradients[name].float() * scale
            first = self.first[name].mul_(FIRST_DECAY).add_(slope, alpha=1 - FIRST_DECAY)
            second = self.second[name].mul_(SECOND_DECAY).addcmul_(slope, slope, value=1 - SECOND_DECAY)
            if weight.dim() > 1 and name != EMBEDDING and self.weight_decay > 0:
                weight.mul_(1 - learning_rate * self.weight_decay)
            weight.addcdiv_(first, second.sqrt().add_(EPSILON * root), value=-rate)


def learning_rate_at(step, request):
    """Rate of a step, counted from 1: linear warm-up, then constant, or falling to a tenth at the last step."""
    rate, warmup, steps = request["learningRate"], request["warmupSteps"], request["steps"]
    if step < warmup:
        return rate * step / warmup
    if request["schedule"] == "constant" or steps <= warmup:
        return rate
    return rate * (1 - 0.9 * (step - warmup) / (steps - warmup))
