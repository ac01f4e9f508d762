/**
 * Suggestions for a goal: engines propose tactics, warm Lean processes run every proposal on the goal, and the answer
 * is ranked. Equal requests share their work and answer. Work without waiting callers ends.
 */

import { StpError } from '@stp/base';
import { type Goal, type PositionState, readGoalTexts, type StepOptions } from '@stp/lean-explore';
import { goalStatement } from '@stp/selfplay';
import { AnswerCache } from './cache.ts';
import { checkInTime, type Sourced } from './check-in-time.ts';
import { checkProposal, goalTexts, REASON_CHARS_MAX, refusal } from './check-proposal.ts';
import type { Engine, Query } from './engines/engine.ts';
import { Flights } from './flights.ts';
import { goalFile, isSameGoal } from './goal-file.ts';
import { KnownAbove, type KnownAboveOptions } from './known-above.ts';
import type { LeanPosition, LeanPositions } from './lean-positions.ts';
import { refusedWord, refusedWords } from './own-words.ts';
import { searchAtPosition } from './search-at-position.ts';
import {
  type Answer,
  bySuggestionRank,
  type Suggestion,
  type SuggestionEvent,
  type SuggestionRequest,
} from './suggestion.ts';
import { untilAborted } from './until-aborted.ts';

/** Maximum suggestions in an answer. */
const SUGGESTIONS_MAX = 64;
/** Maximum unchecked suggestions of an engine, which the client must check. */
const UNCHECKED_MAX = 8;
/**
 * How long an unchecked or incomplete answer is cached, ms: enough for an editor's refreshes, but a later request tries
 * again.
 */
const UNFINISHED_KEPT_MS = 60_000;
/** Time limit for reading a file up to the position, ms. Lean proves its theorems again. */
const OPENING_MS = 60_000;

export interface SuggesterLimits {
  /** Lean's processor time limit for one proposal, ms. The wall-time limit is ten times that. */
  readonly stepMs: number;
  /** Lean's processor time limit for the proposals of one engine, ms. */
  readonly checkMs: number;
  /** Wall-time limit for an engine's proposals, ms. */
  readonly engineMs: number;
  /** Wall-time limit for checking an engine's proposals once they exist, including waits for a process, ms. */
  readonly answerMs: number;
}

export interface SuggesterOptions extends KnownAboveOptions {
  readonly engines: readonly Engine[];
  readonly positions: LeanPositions;
  readonly cache: AnswerCache;
  readonly limits: SuggesterLimits;
  /** Placed above goals without their file: imports and opens. */
  readonly header: string;
  /** Identifies Lean and its library in the cache's keys. */
  readonly environment: string;
}

/** A goal opened in Lean, or the reason why it could not be opened. */
type Opened =
  | {
      readonly state: PositionState;
      readonly position: LeanPosition;
      /** Goals of the request that are not part of the state. */
      readonly others: readonly string[];
    }
  | { readonly unchecked: string };

export type AnswerOf = Answer & { readonly isCached: boolean };

export class Suggester {
  readonly engines: readonly Engine[];
  readonly #options: SuggesterOptions;
  readonly #flights = new Flights<SuggestionEvent, Answer>();
  readonly #known: KnownAbove;

  constructor(options: SuggesterOptions) {
    this.#options = options;
    this.engines = options.engines;
    this.#known = new KnownAbove(options);
  }

  /** Rejects with the signal's reason, or with STP1303 if every engine failed or took too long. */
  async suggest(
    request: SuggestionRequest,
    signal: AbortSignal,
    onEvent: (event: SuggestionEvent) => void = () => {},
  ): Promise<AnswerOf> {
    const { cache, environment, limits, header } = this.#options;
    const engines = this.engines.map(({ identity }) => identity);
    const key = AnswerCache.key([2, request, engines, environment, limits, header]);
    const cached = await cache.get(key);
    if (cached !== null) {
      for (const event of eventsOf(cached)) onEvent(event);
      return { ...cached, isCached: true };
    }
    signal.throwIfAborted();
    const answer = await this.#flights.join(key, signal, onEvent, async (shared, emit) => {
      const made = await this.#answer(request, shared, emit);
      const isWhole = made.unchecked === null && (made.unfinished === 0 || made.suggestions[0]?.class === 'done');
      if (made.failures.length === 0)
        await cache.set(key, made, isWhole ? Number.POSITIVE_INFINITY : UNFINISHED_KEPT_MS);
      return made;
    });
    return { ...answer, isCached: false };
  }

  async close(): Promise<void> {
    this.#flights.close(new StpError('STP1203', 'the suggester was closed', 'Open a new one.'));
    await this.#options.positions.close();
    await Promise.all(this.engines.map((engine) => engine.close()));
  }

  async #answer(
    request: SuggestionRequest,
    signal: AbortSignal,
    emit: (event: SuggestionEvent) => void,
  ): Promise<Answer> {
    const { limits } = this.#options;
    const opened = await this.#open(request, signal);
    const unchecked = 'unchecked' in opened ? opened.unchecked : null;
    const goals =
      'state' in opened ? [...goalTexts(opened.state.goals), ...opened.others] : splitGoals(request.tacticState ?? '');
    emit({ kind: 'goals', goals, unchecked });
    const query = await this.#query(request, goals, 'state' in opened ? opened.state.goals[0]! : null);
    if (query === null)
      return { goals, suggestions: [], unchecked: unchecked ?? 'there is no goal', unfinished: 0, failures: [] };
    const failures: { source: string; reason: string }[] = [];
    let timeouts = 0;
    const found: Suggestion[] = [];
    const words = refusedWords(request.context);
    let unfinished = 0;
    const add = (suggestion: Suggestion): void => {
      found.push(suggestion);
      emit({ kind: 'suggestion', suggestion });
    };
    const isEnough = (): boolean => !request.all && found.some((one) => one.class === 'done');
    const answerMs = request.answerSeconds === null ? limits.answerMs : 1_000 * request.answerSeconds;
    await this.#propose(query, isEnough, signal, {
      failed: (source, reason, isTimeout) => {
        failures.push({ source, reason });
        if (isTimeout) timeouts += 1;
        emit({ kind: 'failure', source, reason });
      },
      check: async (proposals) => {
        if ('unchecked' in opened) {
          for (const one of proposals.slice(0, UNCHECKED_MAX)) add(uncheckedSuggestion(one, opened.unchecked));
          return;
        }
        const left = await checkInTime(proposals, {
          state: opened.state,
          position: opened.position,
          stepMs: limits.stepMs,
          checkMs: limits.checkMs,
          answerMs,
          all: request.all,
          isEnough,
          signal,
          check: (one, deadlineMs) => checkProposal(one, { ...opened, words }, { stepMs: limits.stepMs, deadlineMs }),
          add,
        });
        if (isEnough()) return;
        unfinished += left.length;
        for (const one of left.filter(({ isQuiet }) => !isQuiet).slice(0, UNCHECKED_MAX))
          add(uncheckedSuggestion(one, 'there was no time left'));
      },
    });
    signal.throwIfAborted();
    if (request.searchSeconds > 0 && 'state' in opened && !isEnough()) {
      const proof = await searchAtPosition({
        ...opened,
        query,
        engines: this.engines,
        seconds: request.searchSeconds,
        step: { deadlineMs: limits.stepMs },
        signal,
        refuses: (text) => refusedWord(text, words),
        onExpansion: (expansions) => emit({ kind: 'search', expansions }),
      });
      const proposal = { text: proof ?? '', score: null, logprob: null };
      if (proof !== null)
        await opened.position.exclusive(async () => {
          const one = { proposal, source: 'search' };
          add((await checkProposal(one, { ...opened, words }, limits)).suggestion);
        }, signal);
    }
    if (found.length === 0 && failures.length > 0 && failures.length === this.engines.length)
      throw noEngine(failures, timeouts === failures.length);
    return { goals, suggestions: ranked(found), unchecked, unfinished, failures };
  }

  /** Asks all engines concurrently, and passes the proposals of each to `check` when they arrive. */
  async #propose(
    query: Query,
    isEnough: () => boolean,
    signal: AbortSignal,
    to: {
      check(proposals: readonly Sourced[]): Promise<void>;
      failed(source: string, reason: string, isTimeout: boolean): void;
    },
  ): Promise<void> {
    const { engineMs } = this.#options.limits;
    const ended = new AbortController();
    const seen = new Set<string>();
    const work = this.engines.map(async ({ name, propose, isQuiet = false }) => {
      const limit = AbortSignal.timeout(engineMs);
      const either = AbortSignal.any([signal, ended.signal, limit]);
      const proposals = await untilAborted(propose(query, either), either).catch((error: unknown) => {
        if (limit.aborted && !signal.aborted && !ended.signal.aborted)
          to.failed(name, `took longer than ${engineMs / 1_000} s`, true);
        else if (!either.aborted) to.failed(name, (error as Error).message.slice(0, REASON_CHARS_MAX), false);
        return [];
      });
      const fresh = proposals.filter(({ text }) => text.startsWith(query.prefix) && !seen.has(text) && seen.add(text));
      if (fresh.length > 0 && !isEnough())
        await to.check(fresh.map((proposal) => ({ proposal, source: name, isQuiet })));
      if (isEnough()) ended.abort();
    });
    const results = await Promise.allSettled(work);
    signal.throwIfAborted();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Opens the goal in its file if that is known, otherwise the first goal as a separate statement. */
  async #open(request: SuggestionRequest, signal: AbortSignal): Promise<Opened> {
    const { tacticState, context } = request;
    if (context.trim() !== '') {
      const opened = await this.#openAbove(context, [], false, signal);
      if ('state' in opened || tacticState === null) return opened;
    }
    const goals = readGoalTexts(tacticState ?? '');
    if (goals === null) return { unchecked: 'the goal has another form than Lean prints' };
    const above = goalFile(this.#options.header, goals[0]!);
    if (above === null) return { unchecked: 'a goal with a `let` among its hypotheses can only be opened in its file' };
    const [first, ...others] = splitGoals(tacticState!);
    const opened = await this.#openAbove(above, others, true, signal);
    if ('unchecked' in opened || isSameGoal(first!, opened.state.goals[0]!.text)) return opened;
    return { unchecked: 'Lean reads the goal as another one, so it can only be opened in its file' };
  }

  async #openAbove(
    above: string,
    others: readonly string[],
    isStatement: boolean,
    signal: AbortSignal,
  ): Promise<Opened> {
    const position = this.#options.positions.pick(above);
    const limits: StepOptions = { deadlineMs: Math.max(OPENING_MS, this.#options.limits.stepMs) };
    const opened = await position.exclusive(() => position.open(limits), signal);
    if (opened.kind === 'open' && isStatement && opened.messages.length > 0)
      return { unchecked: `Lean cannot read the goal: ${opened.messages[0]!.text}`.slice(0, REASON_CHARS_MAX) };
    if (opened.kind === 'open') return { state: opened.state, position, others };
    return { unchecked: refusal(opened).reason };
  }

  async #query(request: SuggestionRequest, goals: readonly string[], opened: Goal | null): Promise<Query | null> {
    const goal = opened ?? readGoalTexts(request.tacticState ?? '')?.[0] ?? null;
    if (goal === null) return null;
    const shown = { hypotheses: [...goal.hypotheses], target: goal.target };
    const known = await this.#known.at(request.context || this.#options.header, goalStatement(shown), goals[0]!);
    return { goal: shown, state: goals.join('\n\n'), prefix: request.prefix, context: request.context, ...known };
  }
}

function uncheckedSuggestion({ proposal: { text, score }, source }: Sourced, reason: string): Suggestion {
  return { text, class: 'invalid', goals: [], score, source, ms: 0, reason: `not checked: ${reason}`, checked: false };
}

function noEngine(failures: Answer['failures'], timedOut: boolean): StpError {
  const message = failures.map(({ source, reason }) => `${source}: ${reason}`).join('; ');
  return new StpError('STP1303', message, 'Try again.', { retryable: true, facts: { timedOut } });
}

/** Returns the best suggestion for each resulting state. */
function ranked(found: readonly Suggestion[]): Suggestion[] {
  const states = new Set<string>();
  return found
    .toSorted(bySuggestionRank)
    .filter((one) => {
      const key = one.class === 'done' || one.class === 'valid' ? one.goals.join('\n\n') : `${one.class} ${one.text}`;
      return !states.has(key) && states.add(key);
    })
    .slice(0, SUGGESTIONS_MAX);
}

function* eventsOf({ goals, unchecked, suggestions }: Answer): Generator<SuggestionEvent> {
  yield { kind: 'goals', goals, unchecked };
  for (const suggestion of suggestions) yield { kind: 'suggestion', suggestion };
}

const splitGoals = (state: string): string[] => state.trim().split(/\n[ \t]*\n/u);
