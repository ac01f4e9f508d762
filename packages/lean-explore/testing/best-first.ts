/**
 * A tiny best-first search over a fixed list of tactics, for tests of the step API: fewest goals first, then fewest
 * steps.
 */
import type { StepState } from '../step/step.ts';

interface Searched {
  readonly proof: StepState | null;
  readonly steps: number;
}

export async function bestFirst(root: StepState, tactics: readonly string[], stepsMax: number): Promise<Searched> {
  const open: StepState[] = [root];
  const seen = new Set([textOf(root)]);
  let steps = 0;
  for (;;) {
    open.sort((left, right) => left.goals.length - right.goals.length || left.tactics.length - right.tactics.length);
    const state = open.shift();
    if (state === undefined) return { proof: null, steps };
    for (const tactic of tactics) {
      if (steps >= stepsMax) return { proof: null, steps };
      steps += 1;
      const result = await state.run(tactic, { deadlineMs: 20_000 });
      if (result.kind === 'done') return { proof: result.state, steps };
      if (result.kind === 'invalid' || seen.has(textOf(result.state))) continue;
      seen.add(textOf(result.state));
      open.push(result.state);
    }
  }
}

function textOf(state: StepState): string {
  return state.goals.map(({ text }) => text).join('\n\n');
}
