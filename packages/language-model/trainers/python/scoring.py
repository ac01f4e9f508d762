"""What a model gives to the targets of sequences: how they are packed and shared out among the processes, and what comes back."""

import torch
from language_model import batch_of
from rows import micro_batches, pack_rows

# Rows are as long as the context, or shorter by so many parts of it: short sequences meet in short rows.
ROW_LENGTHS = 4


def own_batches(model, request, training_set, sequences):
    """The micro-batches of this process. All processes have equally many, padded with empty ones: they meet in each."""
    group, lengths = model.group, training_set.lengths
    context, tokens_max = request["contextLength"], request["microBatchTokens"]
    if not model.keeps_apart:
        rows = [(lengths[at], [at]) for at in sequences]
    elif request["attention"].startswith("flash"):
        # Its kernels find the sequences of one long row by their positions, and those of several rows not at all.
        rows = pack_rows(sequences, lengths, max(context, tokens_max), tokens_max)
    else:
        rows = pack_rows(sequences, lengths, context, -(-context // ROW_LENGTHS))
    batches = micro_batches(rows, tokens_max)
    if len(batches) < group.size:
        batches = [[row] for rows in batches for row in rows]
    own = batches[group.rank :: group.size]
    return own + [[]] * (-(-len(batches) // group.size) - len(own))


def batch_loss(model, training_set, rows, weights_of):
    return model.loss(batch_of(rows, training_set, weights_of, model.group.device))


@torch.no_grad()
def log_probabilities(model, request, training_set, sequences):
    """Of all target tokens of the sequences one after another, float64 on the processor, the same in every process."""
    group = model.group
    # A step that runs over the end of an epoch may have a sequence twice.
    different = list(dict.fromkeys(sequences))
    starts, total = {}, 0
    for at in different:
        starts[at] = total
        total += training_set.target_length(at)
    found = torch.zeros(total, dtype=torch.float64, device=group.device)
    first, tokens_max = 0, request["microBatchTokens"] * group.size
    while first < len(different):
        end, tokens = first, 0
        while end < len(different) and (end == first or tokens + training_set.lengths[different[end]] <= tokens_max):
            tokens += training_set.lengths[different[end]]
            end += 1
        for rows in own_batches(model, request, training_set, different[first:end]):
            no_weights = lambda at: torch.zeros(training_set.target_length(at))  # noqa: E731
            scored = model.log_probabilities(batch_of(rows, training_set, no_weights, group.device)).double()
            place = 0
            for at in (at for row in rows for at in row):
                length = training_set.target_length(at)
                found[starts[at] : starts[at] + length] = scored[place : place + length]
                place += length
        first = end
    found = group.sum(found).cpu()
    return torch.cat([found[starts[at] : starts[at] + training_set.target_length(at)] for at in sequences])
