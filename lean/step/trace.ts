/** The states of a proof, each with the tactic that was run there: training data for a next-tactic prover. */
import type { ProofStep } from '../../data/schemas/goal.ts';
import { type ScriptStep, scriptSteps } from './script-steps.ts';
import type { StepOptions, StepState } from './step.ts';

/**
 * The steps of the split proof, and those of the proof with `<;>` lines kept whole. Either list is left out if Lean does not
 * reach the end by it. Empty for a proof that the screen refuses.
 *
 * @param root the first state of the theorem that the proof proves
 */
export async function traceProof(root: StepState, proof: string, options: StepOptions): Promise<ProofStep[]> {
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
  const keys = traced.map((step) => JSON.stringify(step));
  return traced.filter((_, index) => keys.indexOf(keys[index]!) === index);
}

/** No goal is left. */
const PROVED = 'proved';
type Reached = StepState | typeof PROVED | null;

class Trace {
  readonly #options: StepOptions;
  readonly #traced: ProofStep[] = [];

  constructor(options: StepOptions) {
    this.#options = options;
  }

  /** The traced steps; empty if Lean does not reach the end. */
  async through(steps: readonly ScriptStep[], root: StepState): Promise<ProofStep[]> {
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

  async #one(step: ScriptStep, from: StepState): Promise<Reached> {
    if (step.kind === 'chain') return this.#chain(step.parts, from);
    let at = await this.#run(step.text, from);
    for (const body of step.kind === 'split' ? step.bodies : []) at = await this.#all(body, at);
    return at;
  }

  async #chain([first, ...rest]: readonly string[], from: StepState): Promise<Reached> {
    let at = await this.#run(first!, from);
    if (rest.length === 0 || at === null || at === PROVED) return at;
    for (let goals = at.goals.length - (from.goals.length - 1); goals > 0; goals--) {
      if (at === null || at === PROVED) return at;
      at = await this.#chain(rest, at);
    }
    return at;
  }

  async #run(tactic: string, from: StepState): Promise<Reached> {
    const { hypotheses, target } = from.goals[0]!;
    this.#traced.push({ goal: { hypotheses: [...hypotheses], target }, tactic });
    const result = await from.run(tactic, this.#options);
    if (result.kind === 'done') return PROVED;
    return result.kind === 'open' ? result.state : null;
  }
}
