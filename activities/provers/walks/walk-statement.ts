/**
 * Walks from one statement: Lean through the step API, with a model as policy. Lean runs the common part of two walks
 * once.
 */
import { type Semaphore, StpError } from '@stp/base';
import { contentId } from '@stp/config/ids';
import type { ShownGoal, Statement, Walk } from '@stp/config/records';
import type { StepOptions, StepResult, StepState, Steps } from '@stp/lean-explore';
import { displayProof, STOP_TACTIC, type StateForm, seedFrom } from '@stp/selfplay';
import type { BatchedSamples } from '../batched-samples.ts';
import { goalsText, NOTHING, retried, shownGoal } from '../steps/search-statement.ts';

export interface StatementWalks {
  readonly statement: Pick<Statement, 'id' | 'header' | 'statement'>;
  readonly walks: number;
  readonly stepsMax: number;
  /** Prefix of the names of the seeds. */
  readonly stream: readonly (string | number)[];
  readonly steps: Steps;
  readonly turns: Semaphore;
  /** Returns the policy for a walk; some walks use another temperature to explore. */
  readonly policyOf: (walk: number) => BatchedSamples;
  readonly formOf: StateForm;
  readonly limits: StepOptions & { readonly signal: AbortSignal };
}

export interface Walked {
  readonly walk: Walk;
  /** Script of the whole walk. A walk in which no tactic worked has a script that Lean rejects. */
  readonly proof: string;
  readonly tokens: number;
  readonly logprob: number;
}

/** Throws STP1702 if Lean cannot be run. Returns null if Lean or the screen refuses the statement. */
export async function walkStatement(
  input: StatementWalks,
): Promise<{ readonly walked: readonly Walked[]; readonly leanMs: number } | null> {
  const { statement, steps, turns, limits } = input;
  const goal = await turns.run(
    1,
    () => retried(() => steps.openGoal(statement.header, statement.statement, limits)),
    limits.signal,
  );
  if (goal.kind === 'invalid') {
    if (goal.why !== 'infra') return null;
    throw new StpError(
      'STP1702',
      `the walks of ${statement.id} cannot begin: Lean could not be run (${goal.messages[0]?.text ?? 'no message'})`,
      'See `bin/stp doctor`; then retry the round.',
      { retryable: true },
    );
  }
  let leanMs = 0;
  /** Known states by the tactics that lead to each, including the last one. */
  const known = new Map<string, Promise<StepResult>>();
  const run = (path: string, state: StepState, tactic: string): Promise<StepResult> => {
    const earlier = known.get(path);
    if (earlier !== undefined) return earlier;
    const result = turns.run(
      1,
      async () => {
        const found = await retried(() => state.run(tactic, limits));
        leanMs += found.cpuMs;
        return found;
      },
      limits.signal,
    );
    known.set(path, result);
    return result;
  };
  const walked = await Promise.all(
    Array.from({ length: input.walks }, (_, index) => walkOnce(input, index, goal.state, run)),
  );
  return { walked, leanMs };
}

const keyOf = (state: StepState): string => contentId('state', goalsText(state));

async function walkOnce(
  { statement, stepsMax, stream, policyOf, formOf }: StatementWalks,
  index: number,
  root: StepState,
  run: (path: string, state: StepState, tactic: string) => Promise<StepResult>,
): Promise<Walked> {
  let state = root;
  let [tokens, logprob] = [0, 0];
  const path: string[] = [];
  const written: string[] = [];
  const states: Walk['states'] = [];
  const met = new Set<string>();
  const ended = (end: Walk['end']): Walked => ({
    walk: { statementId: statement.id, index, states, written, end },
    proof: state.tactics.join('\n') || NOTHING,
    tokens,
    logprob,
  });
  for (;;) {
    const goal: ShownGoal = shownGoal(state);
    const key = keyOf(state);
    if (met.has(key)) return ended('dead');
    met.add(key);
    states.push({ key, goal, goals: state.goals.length });
    if (written.length === stepsMax) return ended('open');
    const form = formOf(goal);
    const seed = seedFrom(...stream, 'walk', index, written.length);
    const [completion] = await policyOf(index).sample([{ id: String(index), prompt: form.prompt, seed }]);
    const { text, finish } = completion!;
    tokens += completion!.tokens;
    logprob += completion!.logprob ?? 0;
    const answer = form.read(text, finish);
    const tactic = answer.kind === 'proof' ? displayProof(answer.proof) : '';
    // The policy did not end a truncated text.
    if (finish === 'length') return ended('open');
    if (tactic === STOP_TACTIC) return ended('stopped');
    written.push(text);
    if (tactic.trim() === '') return ended('dead');
    path.push(tactic);
    const result = await run(path.join('\u0000'), state, tactic);
    if (result.kind === 'invalid') return ended('dead');
    state = result.state;
    if (result.kind === 'done') return ended('done');
  }
}
