"""
The optimizer steps of a training: pack examples, add up gradients, watch the loss, keep the state now and then. The
loss of a step is Σ weight · cross-entropy of target tokens / Σ weight · target tokens over the whole step, across all
processes and micro-batches (STP, arXiv 2502.00212; stp.md §2.10).
"""

import math
import time

import torch
from failure import Failure
from language_model import batch_of
from rows import micro_batches, pack_rows
from seeded_order import example_steps

# AdamW as in model/embedded/training/adamw.ts: STP's moments, weight decay decoupled and scaled by the learning rate.
BETAS = (0.9, 0.95)
EPSILON = 1e-8
# Share of the steps, at the end, that the final loss is averaged over.
FINAL_LOSS_SHARE = 0.1
# Keeping the state may take this share of the time, however slow the disk is.
KEEPING_SHARE_MAX = 0.05
# Rows are as long as the context, or shorter by so many parts of it: short examples meet in short rows.
ROW_LENGTHS = 4

# Where a training is: what its end depends on beside the state and the request.
TRAINING_START = {
    "step": 0,
    "epoch": 0,
    "place": 0,
    "tokens": 0,
    "seconds": 0.0,
    "finalLossSum": 0.0,
    "finalWeight": 0.0,
}


class Optimizer:
    """AdamW over the trained parameters of a model. `tensors`: all that a state of the training keeps, by name."""

    def __init__(self, model, request):
        self.request = request
        self.named = model.trained_parameters()
        self.parameters = list(self.named.values())
        decaying = [parameter for parameter in self.parameters if model.decays(parameter)]
        others = [parameter for parameter in self.parameters if not model.decays(parameter)]
        groups = [{"params": decaying, "weight_decay": request["weightDecay"]}, {"params": others, "weight_decay": 0.0}]
        self.library = torch.optim.AdamW(groups, lr=0.0, betas=BETAS, eps=EPSILON, fused=True)
        # A step at the rate 0 makes the moments and changes nothing.
        for parameter in self.parameters:
            parameter.grad = torch.zeros_like(parameter)
        self.library.step()
        self.library.zero_grad()
        self.tensors = {f"weight/{name}": parameter.detach() for name, parameter in self.named.items()}
        for part, key in (("first", "exp_avg"), ("second", "exp_avg_sq")):
            self.tensors |= {f"{part}/{name}": self.library.state[tensor][key] for name, tensor in self.named.items()}
        self.set_step(0)

    def set_step(self, done):
        """How many steps the moments are of."""
        for state in self.library.state.values():
            state["step"].fill_(done)

    def step(self, number):
        """One step with the gradients that are there; their norm over all parameters before clipping."""
        gradients = [parameter.grad for parameter in self.parameters if parameter.grad is not None]
        norm = torch.nn.utils.get_total_norm(gradients)
        norm = (norm.full_tensor() if hasattr(norm, "full_tensor") else norm).item()
        if not math.isfinite(norm):
            return norm
        norm_max = self.request["gradientClipNorm"]
        if 0 < norm_max < norm:
            torch._foreach_mul_(gradients, norm_max / norm)
        for group in self.library.param_groups:
            group["lr"] = learning_rate_at(number, self.request)
        self.library.step()
        self.library.zero_grad()
        return norm


def learning_rate_at(step, request):
    """Rate of a step, counted from 1: linear warm-up, then constant, or falling to a tenth at the last step."""
    rate, warmup, steps = request["learningRate"], request["warmupSteps"], request["steps"]
    if step < warmup:
        return rate * step / warmup
    if request["schedule"] == "constant" or steps <= warmup:
        return rate
    return rate * (1 - 0.9 * (step - warmup) / (steps - warmup))


class Training:
    """`state`: where it is kept, or None."""

    def __init__(self, request, reports, group, model, optimizer, examples, held_out, state):
        self.request, self.reports, self.group = request, reports, group
        self.model, self.optimizer = model, optimizer
        self.examples, self.held_out = examples, held_out
        self.state = state

    def run(self, place):
        """From `place` to the last step. Failure STP1301 where the loss or the gradient stops being finite, naming the step."""
        request = self.request
        steps, every = request["steps"], request["heldOutEverySteps"]
        first_averaged = steps - max(1, math.floor(steps * FINAL_LOSS_SHARE + 0.5)) + 1
        per_step, seed = request["tokensPerStep"], request["seed"]
        source = example_steps(self.examples.lengths, per_step, seed, place["epoch"], place["place"])
        kept_at, keeping_seconds = time.monotonic(), 0.0
        for step in range(place["step"] + 1, steps + 1):
            # Of the weights that the step starts from.
            scored = self.held_out_loss() if (step - 1) % every == 0 else None
            started = time.monotonic()
            indices, epoch, at = next(source)
            weight = self.examples.target_weight(indices)
            loss, norm = self.step(step, indices, weight)
            seconds = time.monotonic() - started
            tokens = sum(self.examples.lengths[index] for index in indices)
            averaged = weight if step >= first_averaged else 0
            place = {
                "step": step,
                "epoch": epoch,
                "place": at,
                "tokens": place["tokens"] + tokens,
                "seconds": place["seconds"] + seconds,
                "finalLossSum": place["finalLossSum"] + loss * averaged,
                "finalWeight": place["finalWeight"] + averaged,
            }
            speed = tokens / max(seconds, 1e-9)
            self.reports.send(
                "progress", step=step, steps=steps, loss=loss, gradientNorm=norm, tokensPerSecond=speed, heldOutLoss=scored
            )
            pause = max(request["keepStateSeconds"], keeping_seconds / KEEPING_SHARE_MAX)
            if self.state is not None and step < steps and self.any_is_due(time.monotonic() - kept_at >= pause):
                saving = time.monotonic()
                self.state.save(step, self.optimizer.tensors, place)
                kept_at = time.monotonic()
                keeping_seconds = kept_at - saving
                if self.state.may_be_announced():
                    self.reports.send("kept", step=step, files=self.state.files_of(step))
        return place

    def any_is_due(self, is_due):
        """Clocks differ: all processes keep the state where one would."""
        return not self.group.all_agree(not is_due)

    def step(self, number, indices, weight):
        """Loss and gradient norm (before clipping) of one optimizer step."""
        total = torch.zeros((), device=self.group.device)
        batches = self.own_batches(self.examples, indices)
        for place, rows in enumerate(batches, 1):
            self.model.last_of_step(place == len(batches))
            loss = self.loss_of(self.examples, rows, self.model.gradient_scale / weight)
            loss.backward()
            total += loss.detach()
        loss = (self.group.sum(total) / self.model.gradient_scale).item()
        norm = self.optimizer.step(number) if math.isfinite(loss) else math.nan
        if not math.isfinite(norm):
            raise Failure(
                "STP1301",
                f"training diverged at step {number}: loss {loss}, gradient norm {norm}",
                "Lower the learning rate or lengthen the warm-up; if the weights it started from are new, train those again.",
            )
        return loss, norm

    def own_batches(self, examples, indices):
        """The micro-batches of this process. All processes have equally many, padded with empty ones: they meet in each."""
        request, size = self.request, self.group.size
        context, tokens_max = request["contextLength"], request["microBatchTokens"]
        if not self.model.keeps_apart:
            rows = [(examples.lengths[index], [index]) for index in indices]
        elif request["attention"].startswith("flash"):
            # Its kernels find the examples of one long row by their positions, and those of several rows not at all.
            rows = pack_rows(indices, examples.lengths, max(context, tokens_max), tokens_max)
        else:
            rows = pack_rows(indices, examples.lengths, context, -(-context // ROW_LENGTHS))
        batches = micro_batches(rows, tokens_max)
        if len(batches) < size:
            batches = [[row] for rows in batches for row in rows]
        own = batches[self.group.rank :: size]
        return own + [[]] * (-(-len(batches) // size) - len(own))

    def loss_of(self, examples, rows, weight_scale):
        return self.model.loss(batch_of(rows, examples, weight_scale, self.group.device))

    def held_out_loss(self):
        """Σ weight · cross-entropy / Σ weight over all target tokens, nats; None where no example is left to score."""
        examples = self.held_out
        if examples is None or len(examples) == 0:
            return None
        total = torch.zeros((), device=self.group.device, dtype=torch.float64)
        first, tokens_max = 0, self.request["microBatchTokens"] * self.group.size
        with torch.no_grad():
            while first < len(examples):
                end, tokens = first, 0
                while end < len(examples) and (end == first or tokens + examples.lengths[end] <= tokens_max):
                    tokens += examples.lengths[end]
                    end += 1
                for rows in self.own_batches(examples, range(first, end)):
                    total += self.loss_of(examples, rows, 1.0)
                first = end
        return self.group.sum(total).item() / examples.target_weight(range(len(examples)))
