"""
Packs examples into rows, and rows into micro-batches. A row is about as short as its longest example allows and is filled
up with shorter ones. Knows lengths, not tokens.
"""

from bisect import bisect_left, insort


def pack_rows(indices, lengths, room_max, unit):
    """
    Rows as (room, indices): the longest example first, each into the fullest row that still has room. The room of a row is
    that of its first example rounded up to `unit`, at most `room_max` tokens.
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
    """Lists of rows (of indices) of equal room; a list has at most `tokens_max` tokens with its padding, or one row."""
    batches, room_before = [], None
    for room, indices in sorted(rows, key=lambda row: row[0]):
        if room == room_before and (len(batches[-1]) + 1) * room <= tokens_max:
            batches[-1].append(indices)
        else:
            batches.append([indices])
        room_before = room
    return batches
