"""Log-probabilities and losses of targets: packs sequences, shares them among the processes, gathers the results."""

import torch
from language_model import batch_of
from rows import micro_batches, pack_rows

# Number of different row lengths, multiples of this part of the context: short sequences share short rows.
ROW_LENGTHS = 4


def own_batches(model, request, training_set, sequences):
    """Micro-batches of this process. Empty ones make the number equal in all processes, which synchronise in each."""
    group, lengths = model.group, training_set.lengths
    context, tokens_max = request["contextLength"], request["microBatchTokens"]
    if not model.keeps_apart:
        rows = [(lengths[at], [at]) for at in sequences]
    elif request["attention"].startswith("flash"):
        # Flash kernels tell sequences apart by positions in one long row, but not in several rows.
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
    """Log-probabilities of all target tokens, sequence after sequence: float64 on the CPU, equal in every process."""
    group = model.group
    # A step that crosses the end of an epoch may contain a sequence twice.
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
