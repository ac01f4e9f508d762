/**
 * Tries actions on goals with Lean, and remembers what became of each try in a file: whoever tries the same on the same goal again gets
 * the same answer for the same time. So searches that differ in their order alone are compared on equal verdicts and times.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { ShownGoal } from '@stp/config/records';
import type { StepState, Steps } from '@stp/lean-explore';

/** A state without Lean: its goals, and the tactics that lead to it. */
export interface PlainState {
  readonly tactics: readonly string[];
  readonly goals: readonly ShownGoal[];
}

/** Goals after a tactic; null where it failed. */
export interface Remembered {
  readonly goals: readonly ShownGoal[] | null;
  readonly ms: number;
}

export interface TriedStatement {
  readonly id: string;
  readonly header: string | null;
  readonly statement: string;
}

/** Wall and processor time of a group of tries, ms. */
const GROUP_MS = 1_500;
const OPEN_MS = 60_000;
const LIMITS = { deadlineMs: GROUP_MS, keepsProcess: true };

export const goalsKey = (goals: readonly ShownGoal[]): string =>
  createHash('sha256').update(JSON.stringify(goals)).digest('base64url').slice(0, 22);

const ROOT = '';

export class GoalWorld {
  readonly #known = new Map<string, Remembered>();
  readonly #path: string;
  readonly #steps: Steps;
  /** Lean's own state of the statement that was asked about last. */
  #roots = new Map<string, StepState | null>();
  #lines: string[] = [];
  asked = 0;
  spentMs = 0;

  private constructor(path: string, steps: Steps) {
    this.#path = path;
    this.#steps = steps;
  }

  static async open(path: string, steps: Steps): Promise<GoalWorld> {
    const world = new GoalWorld(path, steps);
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, '');
    for await (const line of createInterface({ input: createReadStream(path) })) {
      if (line === '') continue;
      const [key, goals, ms] = JSON.parse(line) as [string, ShownGoal[] | null, number];
      world.#known.set(key, { goals, ms });
    }
    return world;
  }

  /** The statement's state in full names; null where Lean refuses the statement. */
  async root(one: TriedStatement): Promise<PlainState | null> {
    const key = keyOf(one, [], ROOT);
    if (!this.#known.has(key)) {
      const state = await this.#stateOf(one, []);
      const tried = await state?.tryAll(['skip'], LIMITS);
      const [first] = tried?.results ?? [];
      this.#remember(key, {
        goals: first?.kind === 'open' ? first.state.goals.map(plain) : null,
        ms: tried?.cpuMs ?? 0,
      });
      await this.flush();
    }
    const { goals } = this.#known.get(key)!;
    return goals === null ? null : { tactics: [], goals };
  }

  /** @param prices the tries share the time that Lean took for all of them in these proportions */
  async tryAll(
    one: TriedStatement,
    from: PlainState,
    tactics: readonly string[],
    prices: readonly number[],
  ): Promise<Remembered[]> {
    const keys = tactics.map((tactic) => keyOf(one, from.goals, tactic));
    const open = [...keys.keys()].filter((at) => !this.#known.has(keys[at]!));
    if (open.length > 0) {
      const state = await this.#stateOf(one, from.tactics);
      const tried = await state?.tryAll(
        open.map((at) => tactics[at]!),
        LIMITS,
      );
      const total = open.reduce((sum, at) => sum + prices[at]!, 0);
      this.asked += open.length;
      this.spentMs += tried?.cpuMs ?? 0;
      for (const [place, at] of open.entries()) {
        const result = tried?.results[place];
        const goals = result === undefined || result.kind === 'invalid' ? null : result.state.goals.map(plain);
        this.#remember(keys[at]!, { goals, ms: ((tried?.cpuMs ?? 0) * prices[at]!) / total });
      }
      await this.flush();
    }
    return keys.map((key) => this.#known.get(key)!);
  }

  /** Whether a try that is remembered left nothing of the first goal. */
  closes(one: TriedStatement, from: PlainState, tactic: string): boolean {
    return this.#known.get(keyOf(one, from.goals, tactic))?.goals?.length === 0;
  }

  /**
   * Reads a whole proof, where nothing else goes wrong: what is wrong with a tactic's holes, Lean says only there. The time counts.
   */
  async confirm(
    one: TriedStatement,
    tactics: readonly string[],
  ): Promise<{ readonly isProof: boolean; readonly ms: number }> {
    const key = keyOf(one, [], tactics.join('\n'));
    if (!this.#known.has(key)) {
      const state = await this.#stateOf(one, []);
      const result = await state!.run(tactics.join('\n'), { ...LIMITS, keepsProcess: false });
      this.spentMs += result.cpuMs;
      this.#remember(key, { goals: result.kind === 'done' ? [] : null, ms: result.cpuMs });
      await this.flush();
    }
    const { goals, ms } = this.#known.get(key)!;
    return { isProof: goals !== null, ms };
  }

  async #stateOf(one: TriedStatement, tactics: readonly string[]): Promise<StepState | null> {
    if (!this.#roots.has(one.id)) {
      this.#roots = new Map();
      const opened = await this.#steps.openGoal(one.header, one.statement, { deadlineMs: OPEN_MS });
      this.#roots.set(one.id, opened.kind === 'open' ? opened.state : null);
    }
    // The goals are not given: what is remembered of a try is what becomes of the first goal.
    return this.#roots.get(one.id)?.after(tactics, []) ?? null;
  }

  #remember(key: string, what: Remembered): void {
    this.#known.set(key, what);
    this.#lines.push(JSON.stringify([key, what.goals, Math.round(what.ms * 100) / 100]));
  }

  async flush(): Promise<void> {
    const lines = this.#lines.splice(0);
    if (lines.length > 0) await appendFile(this.#path, lines.map((line) => `${line}\n`).join(''));
  }
}

const plain = ({ hypotheses, target }: ShownGoal): ShownGoal => ({ hypotheses, target });

function keyOf({ id }: TriedStatement, goals: readonly ShownGoal[], tactic: string): string {
  // What a tactic does to the first goal does not depend on the others.
  return `${id} ${goals.length === 0 ? '' : goalsKey([plain(goals[0]!)])} ${createHash('sha256').update(tactic).digest('base64url').slice(0, 16)}`;
}
