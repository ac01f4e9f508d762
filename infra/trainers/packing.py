"""
Packs examples into rows of few lengths and rows into micro-batches, as `model/embedded/training/pack-rows.ts` does. A
row is as short as its longest example allows and is filled up with shorter ones. Knows lengths, not tokens.
"""

from bisect import bisect_left, insort

# Row lengths are the context divided by these, rounded up to a multiple of the unit.
ROW_LENGTH_DIVISORS = (4, 2, 1)
ROW_LENGTH_UNIT = 8


def row_lengths(context_length):
    """The row lengths used for a context, rising; the last is the context itself."""
    units = (-(-context_length // divisor // ROW_LENGTH_UNIT) * ROW_LENGTH_UNIT for divisor in ROW_LENGTH_DIVISORS)
    return sorted({min(context_length, length) for length in units})


def pack_rows(indices, lengths, context_length, micro_batch_tokens, allowed=None):
    """Micro-batches (row length, rows of indices): longest first, each into the fullest row that still has room."""
    allowed = allowed or row_lengths(context_length)
    rows, free_rows = [], []
    for index in sorted(indices, key=lambda index: -lengths[index]):
        length = lengths[index]
        at = bisect_left(free_rows, (length, -1))
        if at < len(free_rows):
            free, number = free_rows.pop(at)
        else:
            number = len(rows)
            free = next(row_length for row_length in allowed if row_length >= length)
            rows.append((free, []))
        rows[number][1].append(index)
        insort(free_rows, (free - length, number))
    batches = []
    for row_length in allowed:
        of_length = [examples for length, examples in rows if length == row_length]
        rows_max = max(1, micro_batch_tokens // row_length)
        groups = -(-len(of_length) // rows_max)
        for group in range(groups):
            first, end = group * len(of_length) // groups, (group + 1) * len(of_length) // groups
            batches.append((row_length, of_length[first:end]))
    return batches
