/** Which goals a search closed, read from its records. */

import { type ExpansionRecord, GOALS_CHARS_MAX } from '@stp/config/records';
import { describe, expect, it } from 'vitest';
import { closedGoals, stateKey } from './closed-goals.ts';

/** A state of these goals, and the steps tried there; after a step that Lean refuses stands `undefined`. */
function expansion(
  goals: string,
  ...steps: readonly (readonly [string, string | null | undefined])[]
): ExpansionRecord {
  return {
    statementId: 's',
    index: 0,
    state: stateKey(goals),
    goals,
    goal: { hypotheses: [], target: goals.split('\n\n')[0]! },
    length: 0,
    logprob: 0,
    score: 0,
    steps: steps.map(([tactic, after]) => ({
      tactic,
      logprob: -1,
      tokens: 1,
      count: 1,
      outcome: after === undefined ? 'rejected' : after === null ? 'done' : 'open',
      next: typeof after === 'string' ? stateKey(after) : null,
      leanMs: 1,
    })),
  };
}

const ways = (...expansions: ExpansionRecord[]): Record<string, string[]> =>
  Object.fromEntries(
    closedGoals(expansions).map(({ goal, steps }) => [
      goal.target,
      steps.map(({ tactic }: { tactic: string }) => tactic),
    ]),
  );

describe('closed goals', () => {
  it('are closed by the shortest way behind which the other goals are left', () => {
    const found = ways(
      expansion('root', ['split', 'a\n\nb']),
      expansion('a\n\nb', ['cases', 'a1\n\na2\n\nb'], ['wrong', undefined], ['other', 'c\n\nb']),
      expansion('a1\n\na2\n\nb', ['one', 'a2\n\nb']),
      expansion('a2\n\nb', ['two', 'b']),
    );
    expect(found).toEqual({ a: ['cases', 'one', 'two'], a1: ['one'], a2: ['two'] });
  });

  it('are not what a tactic changed beside its goal', () => {
    expect(ways(expansion('root', ['split', 'a\n\nb']), expansion('a\n\nb', ['odd', 'b2']))).toEqual({});
    // The last goal was closed together with another.
    expect(ways(expansion('root', ['split', 'a\n\nb']), expansion('a\n\nb', ['all_goals trivial', null]))).toEqual({});
  });

  it('are found on circles, and the statement itself is none', () => {
    const found = ways(
      expansion('root', ['intro', 'a'], ['trivial', null]),
      expansion('a', ['symm', 'a\u2032'], ['rfl', null]),
      expansion('a\u2032', ['symm', 'a']),
    );
    expect(found).toEqual({ a: ['rfl'], 'a\u2032': ['symm', 'rfl'] });
  });

  it('are not looked for in goals that the record cuts', () => {
    const long = 'x'.repeat(GOALS_CHARS_MAX);
    expect(ways(expansion('root', ['intro', long]), expansion(long, ['rfl', null]))).toEqual({});
  });
});
