/** Traces the states of a proof, each with the tactic that was run there, as training data for a next-tactic prover. */
import type { ShownGoal } from '@stp/config/records';
import type { PositionState } from './open-file.ts';
import { type ScriptStep, scriptSteps } from './script-steps.ts';
import type { Goal, StepOptions } from './step.ts';

/** A step with the complete states before and after it, as Lean prints them. */
export interface TracedStep {
  readonly goal: ShownGoal;
  readonly tactic: string;
  /** All goals, separated by blank lines. */
  readonly before: string;
  /** All goals after the tactic; empty if none remain. */
  readonly after: string;
}

/** A state from which to trace: of a statement, or at a position in a file. */
interface TracedState {
  readonly goals: readonly Goal[];
  run(tactic: string, options: StepOptions): Promise<TracedResult>;
}
type TracedResult =
  | { readonly kind: 'open' | 'done'; readonly goals: readonly Goal[]; readonly state: TracedState }
  | { readonly kind: 'invalid'; readonly goals: readonly Goal[] };

/** Traces a proof like `traceProof`, at the position in a file at which the proof begins. */
export function traceProofInFile(position: PositionState, proof: string, options: StepOptions): Promise<TracedStep[]> {
  return traceProof(tracedPosition(position), proof, options);
}

function tracedPosition(position: PositionState): TracedState {
  return {
    goals: position.goals,
    async run(tactic, options) {
      const result = await position.run(tactic, options);
      if (result.kind === 'invalid') return { kind: 'invalid', goals: [] };
      return { kind: result.kind, goals: result.state.goals, state: tracedPosition(result.state) };
    },
  };
}

/**
 * Returns the steps of the split proof, followed by those of the proof with unsplit `<;>` lines. Omits a list by which
 * Lean does not reach the end. Returns an empty list for a proof that the screen refuses.
 *
 * @param root initial state of the theorem
 */
export async function traceProof(root: TracedState, proof: string, options: StepOptions): Promise<TracedStep[]> {
  const steps = scriptSteps(proof);
  if (steps === null) return [];
  const apart = await new Trace(options).through(steps, root);
  const asWritten = steps.some(({ kind }) => kind === 'chain')
    ? await new Trace(options).through(
        steps.map((step) => (step.kind === 'chain' ? { kind: 'tactic', text: step.text } : step)),
        root,
      )
    : [];
  const traced = [...apart, ...asWritten];
  const keys = traced.map(({ goal, tactic }) => JSON.stringify({ goal, tactic }));
  return traced.filter((_, index) => keys.indexOf(keys[index]!) === index);
}

/** No goal remains. */
const PROVED = 'proved';
type Reached = TracedState | typeof PROVED | null;

class Trace {
  readonly #options: StepOptions;
  readonly #traced: TracedStep[] = [];

  constructor(options: StepOptions) {
    this.#options = options;
  }

  /** Returns the traced steps; empty if Lean does not reach the end. */
  async through(steps: readonly ScriptStep[], root: TracedState): Promise<TracedStep[]> {
    return (await this.#all(steps, root)) === PROVED ? this.#traced : [];
  }

  async #all(steps: readonly ScriptStep[], from: Reached): Promise<Reached> {
    let at = from;
    for (const step of steps) {
      if (at === null || at === PROVED) return at;
      at = await this.#one(step, at);
    }
    return at;
  }

  async #one(step: ScriptStep, from: TracedState): Promise<Reached> {
    if (step.kind === 'chain') return this.#chain(step.parts, from);
    let at = await this.#run(step.text, from);
    for (const body of step.kind === 'split' ? step.bodies : []) at = await this.#all(body, at);
    return at;
  }

  async #chain([first, ...rest]: readonly string[], from: TracedState): Promise<Reached> {
    let at = await this.#run(first!, from);
    if (rest.length === 0 || at === null || at === PROVED) return at;
    for (let goals = at.goals.length - (from.goals.length - 1); goals > 0; goals--) {
      if (at === null || at === PROVED) return at;
      at = await this.#chain(rest, at);
    }
    return at;
  }

  async #run(tactic: string, from: TracedState): Promise<Reached> {
    const { hypotheses, target } = from.goals[0]!;
    const result = await from.run(tactic, this.#options);
    const goal = { hypotheses: [...hypotheses], target };
    this.#traced.push({ goal, tactic, before: textOf(from.goals), after: textOf(result.goals) });
    if (result.kind === 'done') return PROVED;
    return result.kind === 'open' ? result.state : null;
  }
}

const textOf = (goals: readonly Goal[]): string => goals.map(({ text }) => text).join('\n\n');
