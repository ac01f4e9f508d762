/** The order of universe levels: laws, and agreement with evaluation at many values of the parameters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, DEFAULT_LIMITS } from './budget.ts';
import { LEVEL_MAXIMUM, LEVEL_PARAMETER, LEVEL_SUCCESSOR, LEVEL_ZERO, type Level } from './level.ts';
import { LevelOrder } from './level-order.ts';
import { Build, impredicative, type LevelWord, maximum, successor } from './testing/build.ts';

const build = new Build();
const { levels, names } = build.terms;
const order = new LevelOrder(levels, new Budget(DEFAULT_LIMITS));

/** The value of a level; `of` by the parameter's name. */
function value(level: Level, of: Readonly<Record<string, number>>): number {
  switch (levels.kind(level)) {
    case LEVEL_ZERO:
      return 0;
    case LEVEL_SUCCESSOR:
      return value(levels.left(level), of) + 1;
    case LEVEL_PARAMETER:
      return of[names.print(levels.name(level))]!;
    default: {
      const [left, right] = [value(levels.left(level), of), value(levels.right(level), of)];
      return levels.kind(level) === LEVEL_MAXIMUM || right > 0 ? Math.max(left, right) : 0;
    }
  }
}

/** How many successors stand in a level. */
function successorsOf(level: Level): number {
  switch (levels.kind(level)) {
    case LEVEL_ZERO:
    case LEVEL_PARAMETER:
      return 0;
    case LEVEL_SUCCESSOR:
      return successorsOf(levels.left(level)) + 1;
    default:
      return successorsOf(levels.left(level)) + successorsOf(levels.right(level));
  }
}

const words = fc.letrec<{ level: LevelWord }>((tie) => ({
  level: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<LevelWord>(0, 'u', 'v', 'w'),
    tie('level').map(successor),
    fc.tuple(tie('level'), tie('level')).map(([a, b]) => maximum(a, b)),
    fc.tuple(tie('level'), tie('level')).map(([a, b]) => impredicative(a, b)),
  ),
})).level;

describe('the order of levels', () => {
  it.each<[string, LevelWord, LevelWord, boolean]>([
    ['imax u 0 is 0', impredicative('u', 0), 0, true],
    ['imax u (v+1) is max', impredicative('u', successor('v')), maximum('u', successor('v')), true],
    ['imax u u is u', impredicative('u', 'u'), 'u', true],
    ['imax 1 u is u', impredicative(1, 'u'), 'u', true],
    ['imax 0 u is u', impredicative(0, 'u'), 'u', true],
    ['imax 2 u is not u', impredicative(2, 'u'), 'u', false],
    ['max u v is max v u', maximum('u', 'v'), maximum('v', 'u'), true],
    ['imax u v is not imax v u', impredicative('u', 'v'), impredicative('v', 'u'), false],
    ['u+1 is not u', successor('u'), 'u', false],
    ['max 1 u is not u', maximum(1, 'u'), 'u', false],
    ['max (u+1) 1 is u+1', maximum(successor('u'), 1), successor('u'), true],
    [
      'imax u (imax v w) is imax (max u v) w',
      impredicative('u', impredicative('v', 'w')),
      impredicative(maximum('u', 'v'), 'w'),
      true,
    ],
  ])('%s', (_, left, right, expected) => {
    expect(order.isEqual(build.level(left), build.level(right))).toBe(expected);
  });

  it('agrees with evaluation: at most means at most for all values', () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        const [a, b] = [build.level(left), build.level(right)];
        // Where one exceeds the other anywhere it does so with each parameter zero, one, or above all that both add to another.
        const values = [0, 1, successorsOf(a) + successorsOf(b) + 2];
        const assignments = values.flatMap((u) => values.flatMap((v) => values.map((w) => ({ u, v, w }))));
        const holds = assignments.every((of) => value(a, of) <= value(b, of));
        expect(order.isAtMost(a, b)).toBe(holds);
        expect(order.isAlwaysZero(a)).toBe(assignments.every((of) => value(a, of) === 0));
        expect(order.isNeverZero(a)).toBe(assignments.every((of) => value(a, of) > 0));
      }),
      { numRuns: 2_000, seed: 24 },
    );
  });
});
