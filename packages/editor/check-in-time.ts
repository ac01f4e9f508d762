/** Checks the proposals of one engine within the answer's time limit and its share of Lean's time. */
import type { PositionState } from '@stp/lean-explore';
import type { Checked, SourcedProposal } from './check-proposal.ts';
import type { Proposal } from './engines/engine.ts';
import type { LeanPosition } from './lean-positions.ts';
import type { Suggestion } from './suggestion.ts';
import { untilAborted } from './until-aborted.ts';

/** Number of proposals checked before others may use the process. */
const CHUNK = 4;
/** Numbers of closing scripts that are tried together: first the cheap ones, then the others in smaller groups. */
const FIRST_CLOSERS = 10;
const NEXT_CLOSERS = 4;
/** Lean's time for such a group, as a multiple of the time for one proposal. */
const CLOSERS_TIME = 2;
/**
 * Limits of a proposal's first check, ms of wall time, and the share of an answer's time for all first checks. A
 * proposal that takes longer is checked again after all others, with its limit multiplied by `growth`.
 */
const FIRST_CHECK = { least: 200, most: 500, share: 0.5, growth: 4 };
/** Share of the time for the proposals of a list, most of which fail. */
const QUIET_SHARE = 0.3;
/** Maximum steps of a list that leave goals, unless all are requested: a person reads no more. */
const QUIET_VALID_MAX = 8;

export interface Sourced extends SourcedProposal {
  readonly proposal: Proposal;
  readonly isQuiet: boolean;
}

export interface TimedCheck {
  readonly state: PositionState;
  readonly position: LeanPosition;
  /** Lean's processor time limit for one proposal, ms; `checkMs` for all. */
  readonly stepMs: number;
  readonly checkMs: number;
  /** Wall-time limit for all checks, including waits for a process, ms. */
  readonly answerMs: number;
  /** Check every proposal, even after one has closed the goal. */
  readonly all: boolean;
  readonly isEnough: () => boolean;
  readonly signal: AbortSignal;
  check(one: Sourced, deadlineMs: number): Promise<Checked>;
  add(suggestion: Suggestion): void;
}

/**
 * Checks proposals until the time is over: first those meant to close the goal, together, then each separately, first
 * with a small limit, so that an endless one costs the others little. Does not wait for checks beyond the time limit.
 * Returns the proposals that were not checked in time. Rejects with the signal's reason.
 */
export const checkInTime = (proposals: readonly Sourced[], check: TimedCheck): Promise<readonly Sourced[]> =>
  new TimedChecks(proposals, check).run();

class TimedChecks {
  readonly #proposals: readonly Sourced[];
  readonly #by: TimedCheck;
  readonly #isQuiet: boolean;
  readonly #late: AbortSignal;
  readonly #over: AbortSignal;
  readonly #left: Set<Sourced>;
  /** Proposals that exceeded the limit of their first check. */
  #again: Sourced[] = [];
  #leftMs: number;
  #valid = 0;

  constructor(proposals: readonly Sourced[], by: TimedCheck) {
    this.#proposals = proposals;
    this.#by = by;
    this.#isQuiet = proposals[0]!.isQuiet;
    this.#late = AbortSignal.timeout(by.answerMs);
    this.#over = AbortSignal.any([by.signal, this.#late]);
    this.#left = new Set(proposals);
    this.#leftMs = this.#isQuiet ? by.checkMs * QUIET_SHARE : by.checkMs;
  }

  async run(): Promise<readonly Sourced[]> {
    const closers = this.#by.all ? [] : this.#proposals.filter(({ proposal }) => proposal.isCloser === true);
    try {
      await this.#tryClosers(closers);
      // Proposals that may leave goals come before those that were already tried.
      const others = this.#proposals.filter((one) => !closers.includes(one));
      await this.#checkOneByOne([...others, ...closers].filter((one) => this.#left.has(one)));
    } catch (error) {
      if (!this.#late.aborted || this.#by.signal.aborted) throw error;
    }
    return this.#isFull ? [] : [...this.#left];
  }

  get #isFull(): boolean {
    return !this.#by.all && this.#isQuiet && this.#valid >= QUIET_VALID_MAX;
  }

  get #isOver(): boolean {
    return this.#over.aborted || this.#by.isEnough() || this.#leftMs <= 0 || this.#isFull;
  }

  #exclusive(work: () => Promise<void>): Promise<void> {
    return untilAborted(this.#by.position.exclusive(work, this.#over), this.#over);
  }

  async #tryClosers(closers: readonly Sourced[]): Promise<void> {
    const { state, stepMs } = this.#by;
    for (let from = 0; from < closers.length && !this.#isOver; from += from === 0 ? FIRST_CLOSERS : NEXT_CLOSERS) {
      const some = closers.slice(from, from + (from === 0 ? FIRST_CLOSERS : NEXT_CLOSERS));
      await this.#exclusive(async () => {
        const texts = some.map(({ proposal }) => proposal.text);
        const { index, cpuMs } = await state.firstClosing(texts, { deadlineMs: CLOSERS_TIME * stepMs });
        this.#leftMs -= cpuMs;
        if (index !== null) await this.#checkEach([some[index]!], stepMs);
      });
    }
  }

  async #checkOneByOne(proposals: readonly Sourced[]): Promise<void> {
    const { stepMs, answerMs } = this.#by;
    let rest = proposals;
    let boundMs = Math.min(stepMs, firstCheckMs(answerMs, rest.length));
    while (rest.length > 0 && !this.#isOver) {
      for (let from = 0; from < rest.length && !this.#isOver; from += CHUNK) {
        const some = rest.slice(from, from + CHUNK);
        const deadlineMs = boundMs;
        await this.#exclusive(() => this.#checkEach(some, deadlineMs));
      }
      rest = this.#again;
      this.#again = [];
      boundMs = Math.min(stepMs, boundMs * FIRST_CHECK.growth);
    }
  }

  async #checkEach(some: readonly Sourced[], deadlineMs: number): Promise<void> {
    for (const one of some) {
      if (this.#isOver) return;
      const { suggestion, cpuMs, isLate } = await this.#by.check(one, deadlineMs);
      this.#leftMs -= cpuMs;
      if (this.#over.aborted) return;
      if (isLate && deadlineMs < this.#by.stepMs) {
        this.#again.push(one);
        continue;
      }
      this.#left.delete(one);
      if (suggestion.class === 'valid') this.#valid += 1;
      if (suggestion.class === 'done' || suggestion.class === 'valid' || !one.isQuiet) this.#by.add(suggestion);
    }
  }
}

function firstCheckMs(answerMs: number, proposals: number): number {
  const { least, most, share } = FIRST_CHECK;
  return Math.min(most, Math.max(least, (answerMs * share) / proposals));
}
