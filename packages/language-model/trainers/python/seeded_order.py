"""The order of examples: the same numbers as `packages/language-model/embedded/training/random.ts` and `schedule-examples.ts`."""

from array import array

MASK = 0xFFFFFFFF
# Keeps the orders of successive epochs apart.
EPOCH_SEED_STRIDE = 0x9E3779B1


def shuffled_order(count, seed):
    """Random order of 0 … count-1, by splitmix32 and Fisher–Yates."""
    state = seed & MASK
    order = array("I", range(count))
    for last in range(count - 1, 0, -1):
        state = (state + 0x9E3779B9) & MASK
        mixed = ((state ^ (state >> 16)) * 0x21F0AAAD) & MASK
        mixed = ((mixed ^ (mixed >> 15)) * 0x735A2D97) & MASK
        chosen = ((mixed ^ (mixed >> 15)) * (last + 1)) >> 32
        order[last], order[chosen] = order[chosen], order[last]
    return order


def example_steps(lengths, tokens_per_step, seed, epoch, place):
    """
    Yields the examples of each step without end, from a place in the data on: (indices, next epoch, next place). A step
    takes at least one example, and further ones while they fit `tokens_per_step`. It may cross the end of an epoch.
    """
    indices, tokens = [], 0
    while True:
        order = shuffled_order(len(lengths), seed + epoch * EPOCH_SEED_STRIDE)
        for at in range(place, len(order)):
            index = order[at]
            if indices and tokens + lengths[index] > tokens_per_step:
                yield indices, epoch, at
                indices, tokens = [], 0
            indices.append(index)
            tokens += lengths[index]
        epoch, place = epoch + 1, 0
