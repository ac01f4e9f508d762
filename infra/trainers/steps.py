"""
The optimizer steps of a training: pack examples, add up gradients, watch the loss, keep the state now and then. The
loss of a step is Σ weight · cross-entropy of target tokens / Σ weight · target tokens over the whole step, across all
processes and micro-batches (STP, arXiv 2502.00212; stp.md §2.10).
"""

import math
import time

import torch
from adamw import learning_rate_at
from failure import Failure
from llama import packed_batch
from packing import pack_rows
from seeded_order import example_steps

# Share of the steps, at the end, that the final loss is averaged over.
FINAL_LOSS_SHARE = 0.1
# Keeping the state may take this share of the time, however slow the disk is.
KEEPING_SHARE_MAX = 0.05

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


class Training:
    """`state`: where it is kept, or None. `tensors`: what is kept."""

    def __init__(self, request, reports, group, sharded, optimizer, examples, held_out, state, tensors):
        self.request, self.reports, self.group = request, reports, group
        self.sharded, self.optimizer = sharded, optimizer
        self.examples, self.held_out = examples, held_out
        self.state, self.tensors = state, tensors

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
                self.state.save(step, self.tensors, place)
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
        loss = torch.zeros((), device=self.group.device)
        batches = self.own_batches(self.examples, indices)
        for place, batch in enumerate(batches, 1):
            self.sharded.last_of_step(place == len(batches))
            loss += self.sharded.backward(self.tensors_of(self.examples, batch, self.sharded.gradient_scale / weight))
        gradients = self.sharded.gradients()
        loss = (self.group.sum(loss) / self.sharded.gradient_scale).item()
        norm = self.sharded.norm_of(gradients).item()
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise Failure(
                "STP1301",
                f"training diverged at step {number}: loss {loss}, gradient norm {norm}",
                "Lower the learning rate or lengthen the warm-up; if the weights it started from are new, train those again.",
            )
        norm_max = self.request["gradientClipNorm"]
        scale = norm_max / max(norm, norm_max) if norm_max > 0 else 1.0
        self.optimizer.step(number, gradients, scale, learning_rate_at(number, self.request))
        self.sharded.clear_gradients()
        return loss, norm

    def own_batches(self, examples, indices):
        """The micro-batches of this process. All processes have equally many, padded with empty ones: they meet in each."""
        request, size = self.request, self.group.size
        batches = pack_rows(indices, examples.lengths, request["contextLength"], request["microBatchTokens"])
        if len(batches) < size:
            batches = [(length, [row]) for length, rows in batches for row in rows]
        own = batches[self.group.rank :: size]
        return own + [(batches[0][0], [])] * (-(-len(batches) // size) - len(own))

    def tensors_of(self, examples, batch, weight_scale):
        row_length, rows = batch
        return packed_batch(row_length, rows, examples, weight_scale, self.group.device)

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
                for batch in self.own_batches(examples, range(first, end)):
                    total += self.sharded.loss(self.tensors_of(examples, batch, 1.0))
                first = end
        return self.group.sum(total).item() / examples.target_weight(range(len(examples)))
