"""
The optimizer steps of a training: packs records, adds up gradients, watches the loss, saves the state now and then. The
objective gives the loss over the whole step, across all processes and micro-batches. For likelihood it is
Σ weight · −log p of target tokens / Σ weight (docs/algorithm.md, section 8).
"""

import math
import time

import torch
from failure import Failure
from objectives import Item, evaluate
from scoring import batch_loss, log_probabilities, own_batches
from seeded_order import example_steps

# AdamW as in packages/language-model/embedded/training/adamw.ts: STP's moments, weight decay decoupled and scaled by the learning rate.
BETAS = (0.9, 0.95)
EPSILON = 1e-8
# Share of the last steps over which the final loss is averaged.
FINAL_LOSS_SHARE = 0.1
# Largest share of the time for saving the state, on any disk.
KEEPING_SHARE_MAX = 0.05
# Position of a training, on which its end depends together with the state and the request.
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
    """AdamW over the trained parameters of a model. `tensors`: all tensors of a saved state, by name."""

    def __init__(self, model, request):
        self.request = request
        self.named = model.trained_parameters()
        self.parameters = list(self.named.values())
        decaying = [parameter for parameter in self.parameters if model.decays(parameter)]
        others = [parameter for parameter in self.parameters if not model.decays(parameter)]
        groups = [{"params": decaying, "weight_decay": request["weightDecay"]}, {"params": others, "weight_decay": 0.0}]
        self.library = torch.optim.AdamW(groups, lr=0.0, betas=BETAS, eps=EPSILON, fused=True)
        # A step at the rate 0 creates the moments and changes no weight.
        for parameter in self.parameters:
            parameter.grad = torch.zeros_like(parameter)
        self.library.step()
        self.library.zero_grad()
        self.tensors = {f"weight/{name}": parameter.detach() for name, parameter in self.named.items()}
        for part, key in (("first", "exp_avg"), ("second", "exp_avg_sq")):
            self.tensors |= {f"{part}/{name}": self.library.state[tensor][key] for name, tensor in self.named.items()}
        self.set_step(0)

    def set_step(self, done):
        """Sets the number of steps that the moments contain."""
        for state in self.library.state.values():
            state["step"].fill_(done)

    def step(self, number):
        """Makes one step with the present gradients. Returns their norm over all parameters, before clipping."""
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
    """
    Learning rate of a step, counted from 1: linear warm-up, then constant, or falling to a tenth at the last step.
    """
    rate, warmup, steps = request["learningRate"], request["warmupSteps"], request["steps"]
    if step < warmup:
        return rate * step / warmup
    if request["schedule"] == "constant" or steps <= warmup:
        return rate
    return rate * (1 - 0.9 * (step - warmup) / (steps - warmup))


class Training:
    """
    One training. `kept`: log-probabilities that do not change, float64 [targets of all sequences], by name.
    `variables`: those of the objective. `state`: the folder of saved states, or None.
    """

    def __init__(self, request, reports, group, model, optimizer, objective, training_set, held_out, kept, variables, state):
        self.request, self.reports, self.group = request, reports, group
        self.model, self.optimizer, self.objective = model, optimizer, objective
        self.set, self.held_out, self.kept, self.variables = training_set, held_out, kept, variables
        self.target_starts = training_set.target_starts() if kept else None
        self.state = state

    def run(self, place):
        """
        Trains from `place` to the last step. Failure STP1301 names the step if loss or gradient become infinite or NaN.
        """
        request = self.request
        steps, every = request["steps"], request["heldOutEverySteps"]
        first_averaged = steps - max(1, math.floor(steps * FINAL_LOSS_SHARE + 0.5)) + 1
        per_step, seed = request["tokensPerStep"], request["seed"]
        source = example_steps(self.set.record_lengths, per_step, seed, place["epoch"], place["place"])
        kept_at, keeping_seconds = time.monotonic(), 0.0
        for step in range(place["step"] + 1, steps + 1):
            # Scores the weights with which the step starts.
            scored = self.held_out_loss() if (step - 1) % every == 0 else None
            started = time.monotonic()
            records, epoch, at = next(source)
            loss, norm, weight = self.step(step, records)
            seconds = time.monotonic() - started
            tokens = sum(self.set.record_lengths[record] for record in records)
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
        """Whether any process is due: clocks differ, and all processes save together."""
        return not self.group.all_agree(not is_due)

    def step(self, number, records):
        """
        Makes one optimizer step. Returns its loss, its gradient norm before clipping, and its weight in means of
        losses.
        """
        sequences = [at for record in records for at in self.set.sequences_of(record)]
        items = self.items(records, sequences)
        loss, slopes, by_variables = evaluate(self.objective, items, self.variables)
        weights = dict(zip(sequences, (-slope for of_item in slopes for slope in of_item)))
        of_batches = self.backward(sequences, lambda at: weights[at] * self.model.gradient_scale)
        loss = of_batches if loss is None else loss
        norm = self.optimizer.step(number) if math.isfinite(loss) else math.nan
        if not math.isfinite(norm):
            raise Failure(
                "STP1301",
                f"training diverged at step {number}: loss {loss}, gradient norm {norm}",
                "Lower the learning rate or lengthen the warm-up; if the weights it started from are new, train those again.",
            )
        if by_variables is not None and len(self.variables) > 0:
            self.variables -= self.request["objective"]["logZRate"] * by_variables
        return loss, norm, self.objective.weight(items)

    def items(self, records, sequences):
        lengths = [self.set.target_length(at) for at in sequences]
        current = None
        if self.objective.needs_current:
            current = log_probabilities(self.model, self.request, self.set, sequences).split(lengths)
        items, first = [], 0
        for record in records:
            own = range(first, first + len(self.set.sequences_of(record)))
            items.append(
                Item(
                    numbers=self.set.numbers[record] if self.set.numbers else None,
                    weight=self.set.weights[record],
                    lengths=[lengths[at] for at in own],
                    current=None if current is None else [current[at] for at in own],
                    first=self.kept_of("first", record),
                    reference=self.kept_of("reference", record),
                )
            )
            first = own.stop
        return items

    def kept_of(self, name, record):
        if name not in self.kept:
            return None
        starts = self.target_starts
        return [self.kept[name][starts[at] : starts[at + 1]] for at in self.set.sequences_of(record)]

    def backward(self, sequences, weights_of):
        """Adds up the gradients of Σ weight · −log p over all processes, and returns this sum."""
        total = torch.zeros((), device=self.group.device)
        batches = own_batches(self.model, self.request, self.set, sequences)
        for place, rows in enumerate(batches, 1):
            self.model.last_of_step(place == len(batches))
            loss = batch_loss(self.model, self.set, rows, weights_of)
            loss.backward()
            total += loss.detach()
        return (self.group.sum(total) / self.model.gradient_scale).item()

    def held_out_loss(self):
        """Held-out loss Σ weight · −log p / Σ weight over all target tokens, nats; None without examples."""
        examples = self.held_out
        if examples is None or len(examples) == 0:
            return None
        # A likelihood record is one sequence.
        sequences = range(len(examples))
        weights = torch.cat([torch.full((examples.target_length(at),), examples.weights[at]) for at in sequences]).double()
        scored = log_probabilities(self.model, self.request, examples, sequences)
        return (-(weights * scored).sum() / weights.sum()).item()
