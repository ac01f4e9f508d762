/**
 * Suggestions for a goal: engines propose, warm Lean runs every proposal on the goal, and the answer is ranked. Equal requests
 * share their work and its answer; work that nobody waits for any more ends.
 */

import { StpError } from '@stp/base';
import { Definitions, type Goal, type PlaceState, readGoalTexts, type StepOptions } from '@stp/lean-explore';
import { boundNames, goalStatement } from '@stp/selfplay';
import { AnswerCache } from './cache.ts';
import {
  type Checked,
  checkProposal,
  goalTexts,
  REASON_CHARS_MAX,
  refusal,
  type SourcedProposal,
} from './check-proposal.ts';
import type { Engine, Proposal, Query } from './engines/engine.ts';
import { Flights } from './flights.ts';
import { goalFile, isSameGoal } from './goal-file.ts';
import type { LeanPlace, LeanPlaces } from './lean-places.ts';
import { ownName, refusedWord, refusedWords } from './own-words.ts';
import { Premises } from './premises.ts';
import { searchPlace } from './search-place.ts';
import {
  type Answer,
  bySuggestionRank,
  type Suggestion,
  type SuggestionEvent,
  type SuggestionRequest,
} from './suggestion.ts';
import { untilAborted } from './until-aborted.ts';

/** Proposals that are checked in one turn at a process; others may have their turn between two. */
const CHUNK = 4;
/** Closing scripts that are tried together: so many at first, which are the cheap ones, and so many then. */
const FIRST_CLOSERS = 10;
const NEXT_CLOSERS = 4;
/** Lean's time for those together, as a multiple of that for one. */
const CLOSERS_TIME = 2;
/**
 * Bounds of a proposal's first check, ms of wall time, and the share of an answer's time for the first checks of all. A
 * proposal that takes longer is checked again when all others have been, with so many times the bound.
 */
const FIRST_CHECK = { least: 200, most: 500, share: 0.5, growth: 4 };
/** Share of the time for an engine's proposals; most scripts of a list fail. */
const QUIET_SHARE = 0.3;
/** Steps of a list that leave goals, unless all are asked for: a person reads no more of them. */
const QUIET_VALID_MAX = 8;
/** Suggestions of an answer. */
const SUGGESTIONS_MAX = 64;
/** Unchecked suggestions of an engine: the client has to check them. */
const UNCHECKED_MAX = 8;
/** An answer that is not checked, or not to its end: for an editor that asks again at every refresh, and not for a calmer hour. */
const UNFINISHED_KEPT_MS = 60_000;
const OPEN_LINE = /^\s*(?:open|namespace)\s.*$/gmu;
const USES_LIBRARY = /^import Stp\b/mu;

export interface SuggesterLimits {
  /** Lean's processor time for one proposal, ms; ten times that in wall time. */
  readonly stepMs: number;
  /** Lean's processor time for the proposals of one engine, ms. */
  readonly checkMs: number;
  /** Wall time for an engine to propose, ms. */
  readonly engineMs: number;
  /** Wall time for the checks of an engine's proposals once it has made them, waits for a process included, ms. */
  readonly answerMs: number;
}

export interface SuggesterOptions {
  readonly engines: readonly Engine[];
  readonly places: LeanPlaces;
  readonly cache: AnswerCache;
  readonly limits: SuggesterLimits;
  /** Stands above goals that come without their file: imports and opens. */
  readonly header: string;
  /** Names Lean and its library in the cache's keys. */
  readonly environment: string;
  /** Texts of the library's modules, for files that import it. */
  readonly modules: () => Promise<readonly string[]>;
  /** Texts of further files that a file imports; without it none are known. */
  readonly imported?: (above: string) => Promise<readonly string[]>;
}

/** A goal in Lean, or why there is none. */
type Opened =
  | {
      readonly state: PlaceState;
      readonly place: LeanPlace;
      /** Goals that were told but are not part of the state. */
      readonly others: readonly string[];
    }
  | { readonly unchecked: string };

export type AnswerOf = Answer & { readonly isCached: boolean };

export class Suggester {
  readonly engines: readonly Engine[];
  readonly #options: SuggesterOptions;
  readonly #flights = new Flights<SuggestionEvent, Answer>();
  readonly #definitions = new Map<string, { readonly definitions: Definitions; readonly premises: Premises }>();
  #library: Promise<Premises> | null = null;

  constructor(options: SuggesterOptions) {
    this.#options = options;
    this.engines = options.engines;
  }

  /** Rejects with the signal's reason, or with STP1303 where every engine failed or took too long. */
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
    await this.#options.places.close();
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
        const left = await this.#checkInTime(proposals, opened, answerMs, {
          all: request.all,
          isEnough,
          signal,
          check: (one, deadlineMs) => checkProposal(one, { ...opened, words }, limits.stepMs, deadlineMs),
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
      const proof = await searchPlace({
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
        await opened.place.turn(async () => {
          const one = { proposal, source: 'search' };
          add((await checkProposal(one, { ...opened, words }, limits.stepMs)).suggestion);
        }, signal);
    }
    if (found.length === 0 && failures.length > 0 && failures.length === this.engines.length)
      throw noEngine(failures, timeouts === failures.length);
    return { goals, suggestions: ranked(found), unchecked, unfinished, failures };
  }

  /** Every engine at once; what one proposes is given to `check` when it comes. */
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

  /**
   * Checks an engine's proposals until time or Lean's share of it is over: those that are meant to close the goal together, then
   * each by itself, first within a small bound, so that one without an end costs the others little. Waits for no check beyond the
   * time. Returns what time did not suffice for.
   */
  async #checkInTime(
    proposals: readonly Sourced[],
    { state, place }: Extract<Opened, { state: PlaceState }>,
    answerMs: number,
    by: {
      readonly all: boolean;
      readonly isEnough: () => boolean;
      readonly signal: AbortSignal;
      check(one: Sourced, deadlineMs: number): Promise<Checked>;
      add(suggestion: Suggestion): void;
    },
  ): Promise<readonly Sourced[]> {
    const { checkMs, stepMs } = this.#options.limits;
    const late = AbortSignal.timeout(answerMs);
    const over = AbortSignal.any([by.signal, late]);
    const left = new Set(proposals);
    let leftMs = proposals[0]!.isQuiet ? checkMs * QUIET_SHARE : checkMs;
    let valid = 0;
    const isFull = (): boolean => !by.all && proposals[0]!.isQuiet && valid >= QUIET_VALID_MAX;
    const isOver = (): boolean => over.aborted || by.isEnough() || leftMs <= 0 || isFull();
    const turn = (work: () => Promise<void>): Promise<void> => untilAborted(place.turn(work, over), over);
    const again: Sourced[] = [];
    const checkEach = async (some: readonly Sourced[], deadlineMs = stepMs): Promise<void> => {
      for (const one of some) {
        if (isOver()) return;
        const { suggestion, cpuMs, isLate } = await by.check(one, deadlineMs);
        leftMs -= cpuMs;
        if (over.aborted) return;
        if (isLate && deadlineMs < stepMs) {
          again.push(one);
          continue;
        }
        left.delete(one);
        if (suggestion.class === 'valid') valid += 1;
        if (suggestion.class === 'done' || suggestion.class === 'valid' || !one.isQuiet) by.add(suggestion);
      }
    };
    const closers = by.all ? [] : proposals.filter(({ proposal }) => proposal.isCloser === true);
    try {
      for (let from = 0; from < closers.length && !isOver(); from += from === 0 ? FIRST_CLOSERS : NEXT_CLOSERS) {
        const some = closers.slice(from, from + (from === 0 ? FIRST_CLOSERS : NEXT_CLOSERS));
        await turn(async () => {
          const texts = some.map(({ proposal }) => proposal.text);
          const { index, cpuMs } = await state.firstClosing(texts, { deadlineMs: CLOSERS_TIME * stepMs });
          leftMs -= cpuMs;
          if (index !== null) await checkEach([some[index]!]);
        });
      }
      // What may leave goals comes before what was tried already.
      const others = proposals.filter((one) => !closers.includes(one));
      let rest = [...others, ...closers].filter((one) => left.has(one));
      const firstMs = Math.min(stepMs, firstCheckMs(answerMs, rest.length));
      for (
        let boundMs = firstMs;
        rest.length > 0 && !isOver();
        boundMs = Math.min(stepMs, boundMs * FIRST_CHECK.growth)
      ) {
        for (let from = 0; from < rest.length && !isOver(); from += CHUNK)
          await turn(() => checkEach(rest.slice(from, from + CHUNK), boundMs));
        rest = again.splice(0);
      }
    } catch (error) {
      if (!late.aborted || by.signal.aborted) throw error;
    }
    return isFull() ? [] : [...left];
  }

  /** Opens the goal in its file if that is known; else the first goal as a statement of its own. */
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
    const place = this.#options.places.pick(above);
    const limits: StepOptions = { deadlineMs: Math.max(OPENING_MS, this.#options.limits.stepMs) };
    const opened = await place.turn(() => place.open(limits), signal);
    if (opened.kind === 'open' && isStatement && opened.messages.length > 0)
      return { unchecked: `Lean cannot read the goal: ${opened.messages[0]!.text}`.slice(0, REASON_CHARS_MAX) };
    if (opened.kind === 'open') return { state: opened.state, place, others };
    return { unchecked: refusal(opened).reason };
  }

  async #query(request: SuggestionRequest, goals: readonly string[], opened: Goal | null): Promise<Query | null> {
    const goal = opened ?? readGoalTexts(request.tacticState ?? '')?.[0] ?? null;
    if (goal === null) return null;
    const shown = { hypotheses: [...goal.hypotheses], target: goal.target };
    const known = await this.#knownFrom(request.context || this.#options.header, goalStatement(shown), goals[0]!);
    return { goal: shown, state: goals.join('\n\n'), prefix: request.prefix, context: request.context, ...known };
  }

  /** Definitions of the file and of the library that the goal mentions, and theorems like it. They help engines; no check rests on them. */
  async #knownFrom(above: string, statement: string, goal: string): Promise<Pick<Query, 'definitions' | 'premises'>> {
    const { definitions, premises } = this.#definitions.get(above) ?? (await this.#read(above));
    const opens = (above.match(OPEN_LINE) ?? []).map((line) => line.replace('namespace', 'open'));
    const own = ownName(above);
    const near = await premises.find(goal, own, PREMISES_OF_FILE);
    const far = USES_LIBRARY.test(above) ? await (await this.#libraryPremises()).find(goal, own, PREMISES) : [];
    return {
      definitions: definitions.under(opens.join('\n'), statement, boundNames(statement)),
      premises: [...new Set([...near, ...far].map(({ name }) => name))].slice(0, PREMISES),
    };
  }

  async #read(above: string) {
    const modules = USES_LIBRARY.test(above) ? await this.#options.modules() : [];
    const imported = (await this.#options.imported?.(above)) ?? [];
    const read = {
      definitions: new Definitions([...modules, ...imported, above]),
      premises: new Premises([above, ...imported]),
    };
    this.#definitions.set(above, read);
    if (this.#definitions.size > DEFINITIONS_KEPT) this.#definitions.delete(this.#definitions.keys().next().value!);
    return read;
  }

  #libraryPremises(): Promise<Premises> {
    this.#library ??= this.#options.modules().then((modules) => new Premises(modules));
    return this.#library;
  }
}

/** Theorems that scripts may name: of the file above the place, and in all. */
const PREMISES_OF_FILE = 4;
const PREMISES = 8;
/** A file is read to the place: its theorems are proved again. */
const OPENING_MS = 60_000;
const DEFINITIONS_KEPT = 16;

function firstCheckMs(answerMs: number, proposals: number): number {
  const { least, most, share } = FIRST_CHECK;
  return Math.min(most, Math.max(least, (answerMs * share) / proposals));
}

interface Sourced extends SourcedProposal {
  readonly proposal: Proposal;
  readonly isQuiet: boolean;
}

function uncheckedSuggestion({ proposal: { text, score }, source }: Sourced, reason: string): Suggestion {
  return { text, class: 'invalid', goals: [], score, source, ms: 0, reason: `not checked: ${reason}`, checked: false };
}

function noEngine(failures: Answer['failures'], timedOut: boolean): StpError {
  const message = failures.map(({ source, reason }) => `${source}: ${reason}`).join('; ');
  return new StpError('STP1303', message, 'Try again.', { retryable: true, facts: { timedOut } });
}

/** The best of each resulting state. */
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
