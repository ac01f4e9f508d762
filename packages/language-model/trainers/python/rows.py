"""
Packs examples into rows, and rows into micro-batches. A row is about as long as its longest example; shorter ones fill
it up. Uses lengths only, not tokens.
"""

from bisect import bisect_left, insort


def pack_rows(indices, lengths, room_max, unit):
    """
    Packs rows (room, indices): places the longest examples first, each in the fullest row that still has room. A row's
    room is the length of its first example, rounded up to `unit`, at most `room_max` tokens.
    """
    rows, free_rows = [], []
    for index in sorted(indices, key=lambda index: -lengths[index]):
        length = lengths[index]
        at = bisect_left(free_rows, (length, -1))
        if at < len(free_rows):
            free, number = free_rows.pop(at)
        else:
            free, number = min(room_max, -(-length // unit) * unit), len(rows)
            rows.append((free, []))
        rows[number][1].append(index)
        insort(free_rows, (free - length, number))
    return rows


def micro_batches(rows, tokens_max):
    """Groups rows of equal room. A group has at most `tokens_max` tokens, padding included, or is a single row."""
    batches, room_before = [], None
    for room, indices in sorted(rows, key=lambda row: row[0]):
        if room == room_before and (len(batches[-1]) + 1) * room <= tokens_max:
            batches[-1].append(indices)
        else:
            batches.append([indices])
        room_before = room
    return batches
