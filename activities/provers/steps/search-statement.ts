/** The search for one statement's proof (`packages/selfplay/search`), with Lean through the step API and a model as sampler. */
import { type Semaphore, StpError } from '@stp/base';
import type { SearchConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import {
  type ExpansionRecord,
  expansionSchema,
  GOALS_CHARS_MAX,
  type ProofStep,
  type SearchFigures,
  type ShownGoal,
  type Statement,
} from '@stp/config/records';
import type { StepOptions, StepResult, StepState, Steps } from '@stp/lean-explore';
import {
  displayProof,
  type Expansion,
  type Proposal,
  type SearchOutcome,
  type StateForm,
  searchProof,
  seedFrom,
} from '@stp/selfplay';
import type { BatchedSamples } from '../batched-samples.ts';
import type { VerifierScores } from '../verifier-scores.ts';

/** Limit on the Lean processes tried for one step, in case its process is killed from outside. */
const TRIES = 3;
/** The sample of a search in which no tactic led to a state. Lean rejects it. */
export const NOTHING = '  skip';

export interface StatementSearch {
  readonly statement: Pick<Statement, 'id' | 'header' | 'statement'>;
  /** Prefix of the names of the search's seeds. */
  readonly stream: readonly (string | number)[];
  readonly steps: Steps;
  /** Guards `steps`: several searches share its process, which holds one text at a time. */
  readonly turns: Semaphore;
  readonly samples: BatchedSamples;
  /** Verifiers whose scores contribute to the ranking of states; null: none. */
  readonly scores: VerifierScores | null;
  readonly formOf: StateForm;
  readonly search: SearchConfig;
  /** Limits of one step. The signal ends the search. */
  readonly limits: StepOptions & { readonly signal: AbortSignal };
}

export interface SearchedStatement {
  /** The proof, or the script of the best open state: every search gives one sample. */
  readonly proof: string;
  readonly logprob: number;
  /** Number of sampled tokens, including those of states that lead nowhere. */
  readonly tokens: number;
  readonly expansions: readonly ExpansionRecord[];
  /** `modelMs` and `wallMs` are 0: searches share them. */
  readonly figures: SearchFigures;
  /** Steps of the proof; empty if none was found. */
  readonly steps: ProofStep[];
}

/**
 * Searches for a proof. Throws STP1702 if Lean cannot be run. If Lean or the screen refuses the statement, there is no
 * search, and the sample fails.
 */
export async function searchStatement(input: StatementSearch): Promise<SearchedStatement> {
  const { statement, search, steps, turns, limits } = input;
  const openGoal = () => steps.openGoal(statement.header, statement.statement, limits);
  const goal = await turns.run(1, () => retried(openGoal), limits.signal);
  if (goal.kind === 'invalid' && goal.why === 'infra')
    throw new StpError(
      'STP1702',
      `the search for ${statement.id} cannot begin: Lean could not be run (${goal.messages[0]?.text ?? 'no message'})`,
      'See `bin/stp doctor`; then retry the round.',
      { retryable: true },
    );
  if (goal.kind === 'invalid') return { ...searched(input, null, new Map(), 0), steps: [] };
  const root = goal.state;
  const goalsOf = new Map<string, Pick<ExpansionRecord, 'goals' | 'goal'>>();
  const keyed = (state: StepState): string => {
    const text = goalsText(state);
    const key = contentId('state', text);
    if (!goalsOf.has(key) && state.goals.length > 0)
      goalsOf.set(key, { goals: text.slice(0, GOALS_CHARS_MAX), goal: shownGoal(state) });
    return key;
  };
  const stepsTo = new Map<StepState, ProofStep[]>();
  let tokens = 0;
  const outcome = await searchProof<StepState>(
    { key: keyed(root), state: root },
    {
      async propose(state, expansion) {
        const sampled = await propose(input, state, expansion);
        tokens += sampled.tokens;
        return sampled.proposals;
      },
      async run(state, tactic) {
        const result = await retried(() => state.run(tactic, limits));
        if (result.kind !== 'invalid')
          stepsTo.set(result.state, [...(stepsTo.get(state) ?? []), { goal: shownGoal(state), tactic }]);
        return { ...step(result, keyed), leanMs: result.cpuMs };
      },
      together: (work) => turns.run(1, work, limits.signal),
      now: () => performance.now(),
    },
    {
      limits: { expansions: search.expansions, wallMs: search.seconds * 1_000, leanMs: search.leanSeconds * 1_000 },
      lengthExponent: search.lengthExponent,
    },
  );
  const found = outcome.end === 'proved' ? stepsTo.get(outcome.state)! : [];
  return { ...searched(input, outcome, goalsOf, tokens), steps: found };
}

function step(result: StepResult, keyed: (state: StepState) => string) {
  if (result.kind === 'invalid') return { kind: result.kind, why: result.why };
  if (result.kind === 'done') return { kind: result.kind, state: result.state };
  return { kind: result.kind, key: keyed(result.state), state: result.state };
}

export function shownGoal(state: StepState): ShownGoal {
  const { hypotheses, target } = state.goals[0]!;
  return { hypotheses: [...hypotheses], target };
}

/** Separates the goals of a state, as Lean prints them. */
const GOALS_BREAK = '\n\n';

export const goalsText = (state: StepState): string => state.goals.map(({ text }) => text).join(GOALS_BREAK);

/**
 * Retries in a new process if the process was ended from outside. States are values, so they work in the new process.
 */
export async function retried<T extends { readonly kind: string; readonly why?: string }>(
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const result = await work();
    if (result.why !== 'infra' || tries === TRIES) return result;
  }
}

/** Samples tactics and removes repeats, the most likely first. Drops texts that reached the token limit. */
async function propose(
  { samples, scores, formOf, search, stream }: StatementSearch,
  state: StepState,
  expansion: number,
): Promise<{ proposals: Proposal[]; tokens: number }> {
  const form = formOf(shownGoal(state));
  const completions = await samples.sample(
    Array.from({ length: search.tactics }, (_, index) => ({
      id: String(index),
      prompt: form.prompt,
      seed: seedFrom(...stream, 'state', expansion, index),
    })),
  );
  const proposals = new Map<string, Proposal>();
  for (const { text, logprob, tokens, finish } of completions) {
    const answer = form.read(text, finish);
    const tactic = answer.kind === 'proof' ? displayProof(answer.proof) : '';
    if (finish === 'length' || tactic.trim() === '') continue;
    if (logprob === null)
      throw new StpError(
        'STP1303',
        'the model server gives no log-probabilities, and a search orders tactics by them',
        'Search with an engine that has them (the embedded one, vLLM, bin/stp serve), or take prover.mode=whole.',
      );
    const known = proposals.get(tactic) ?? { tactic, logprob, tokens, count: 0 };
    proposals.set(tactic, { ...known, count: known.count + 1 });
  }
  const sorted = [...proposals.values()].sort((left, right) => right.logprob - left.logprob);
  const written = sorted.map(({ tactic }) => form.targetOf(tactic) ?? tactic);
  const bonuses = scores === null || sorted.length === 0 ? null : await scores.of(form.prompt, written);
  return {
    proposals: bonuses === null ? sorted : sorted.map((proposal, at) => ({ ...proposal, bonus: bonuses[at]! })),
    tokens: completions.reduce((sum, completion) => sum + completion.tokens, 0),
  };
}

function searched(
  { statement }: StatementSearch,
  outcome: SearchOutcome<StepState> | null,
  goalsOf: ReadonlyMap<string, Pick<ExpansionRecord, 'goals' | 'goal'>>,
  tokens: number,
): Omit<SearchedStatement, 'steps'> {
  const expansions = outcome?.expansions ?? [];
  return {
    proof: outcome?.state.tactics.join('\n') || NOTHING,
    logprob: outcome?.logprob ?? 0,
    tokens,
    expansions: expansions.map((expansion, index) => record(statement.id, index, expansion, goalsOf)),
    figures: {
      searches: 1,
      found: outcome?.end === 'proved' ? 1 : 0,
      expansions: expansions.length,
      steps: expansions.reduce((sum, { steps }) => sum + steps.length, 0),
      states: outcome?.states ?? 0,
      leanMs: outcome?.leanMs ?? 0,
      modelMs: 0,
      wallMs: 0,
    },
  };
}

function record(
  statementId: string,
  index: number,
  { key: state, length, logprob, score, steps }: Expansion,
  goalsOf: ReadonlyMap<string, Pick<ExpansionRecord, 'goals' | 'goal'>>,
): ExpansionRecord {
  return expansionSchema.parse({ statementId, index, state, ...goalsOf.get(state), length, logprob, score, steps });
}
