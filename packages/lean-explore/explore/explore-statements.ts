/**
 * Conjectures by exploration: equations that the functions near a statement satisfy on test values, as texts of
 * theorems. Nothing is learned. An equation is well formed and passed tests, but may be false. Reads compiled modules
 * without running code.
 */

import { equationWordsSchema, type TermSignature, termSignatureSchema, WORDS_MAX } from '@stp/config/words';
import {
  CompiledLibrary,
  DEFAULT_LIMITS,
  displayName,
  EMPTY_LEVELS,
  type Expr,
  Kernel,
  moduleName,
  type Name,
  readModule,
  Terms,
} from '@stp/lean-kernel';
import { z } from 'zod';
import { DefinitionReader, NO_OWN } from '../context/definitions.ts';
import type { ModuleToRead, StatedName } from '../context/read-module.ts';
import { writtenName } from '../context/written-name.ts';
import { CoreEquivalents } from './core-equivalents.ts';
import { coreFunctionsIn } from './core-functions.ts';
import { EXPLORE_LIMITS, type ExploreLimits, Explorer, firstOfTwins } from './equations.ts';
import { Evaluator } from './evaluator.ts';
import { symbolsOf } from './near-symbols.ts';
import { byPathOrder, type RankOf } from './path-order.ts';
import { SymbolReader } from './symbol-schemes.ts';
import { type Equation, equationText, VARIABLE_NAMES } from './terms.ts';
import { testEach } from './test-equations.ts';
import { type EvaluatedSymbols, TestValues } from './test-values.ts';
import { Wording } from './words.ts';

export const exploredStatementSchema = z.strictObject({
  /** Distinct equations: first those with core functions, then by number of functions. */
  equations: z.array(
    z.strictObject({
      /** `{α : Type} (xs : List α) : left = right`. */
      text: z.string(),
      /** The equation in the words of `Wording`; null if it cannot be written in them. */
      words: equationWordsSchema.nullable(),
      /** Texts of other equations that its proof probably needs. */
      after: z.array(z.string()),
      /** Whether it states that a function equals one of Lean's core library. */
      isCore: z.boolean(),
    }),
  ),
  /** The signature of the terms in the equations. */
  signature: termSignatureSchema,
  /** Number of evaluated terms; `withoutValue` counts those without a value. */
  terms: z.number().int(),
  withoutValue: z.number().int(),
  /** Why there are no equations; otherwise empty. */
  reason: z.string(),
});
export type ExploredStatement = z.infer<typeof exploredStatementSchema>;

const NO_SYMBOLS: TermSignature = { types: [], symbols: [] };

/** Returns the answer for a statement that could not be compiled or read. */
export const unexplored = (reason: string): ExploredStatement => ({
  equations: [],
  signature: NO_SYMBOLS,
  terms: 0,
  withoutValue: 0,
  reason,
});

export interface ExploreOptions extends ModuleToRead {
  readonly seed: number;
  /** As a control: returns the same number of random equations instead, which are well formed and mostly false. */
  readonly random?: boolean;
  /** Puts the equations of `CoreEquivalents` first. */
  readonly coreEquivalents?: boolean;
  /** Explores functions of Lean's core library if a statement uses no others. */
  readonly coreFunctions?: boolean;
  readonly limits?: ExploreLimits;
  readonly signal?: AbortSignal;
}

/**
 * Returns one answer per statement, in order. Statements with the same functions share the work. Throws STP1801, or
 * `Decline` as the kernel's readers do.
 */
export async function exploreModule(
  stated: readonly StatedName[],
  options: ExploreOptions,
): Promise<ExploredStatement[]> {
  const { limits = EXPLORE_LIMITS } = options;
  let coreEquivalents: CoreEquivalents | undefined;
  const exploreOne = async ({ evaluated, values, wording, mentions }: Vocabulary) => {
    coreEquivalents ??= new CoreEquivalents(evaluated.reader);
    const explorer = new Explorer(evaluated, values, limits);
    const found = await explorer.explore(options.signal);
    const chosen = options.random ? explorer.randomEquations(found.equations.length) : [...found.equations];
    for (const hidden of limits.twins && !options.random ? firstOfTwins(found.equations) : []) {
      const others = { ...evaluated, symbols: evaluated.symbols.filter(({ name }) => name !== hidden) };
      const more = new Explorer(others, new TestValues(others, limits.variablesMax), limits);
      chosen.push(...(await more.explore(options.signal)).equations);
    }
    const equivalents = options.coreEquivalents ? coreEquivalents.of(evaluated.symbols, values, mentions) : [];
    const isEmpty = evaluated.symbols.every((symbol) => symbol.isConstructor);
    return {
      ...found,
      equivalents,
      chosen: chosen.map((equation) => ({ equation, words: shortWords(wording.write(equation)) })),
      signature: wording.signature,
      reason: isEmpty ? 'no function near it has a first-order type' : '',
    };
  };
  const done = new Map<string, Awaited<ReturnType<typeof exploreOne>>>();
  return forEachVocabulary(stated, options, unexplored, async (vocabulary, textOf) => {
    const known = done.get(vocabulary.key) ?? (await exploreOne(vocabulary));
    done.set(vocabulary.key, known);
    const { equivalents, chosen, signature: its, terms, withoutValue, reason } = known;
    // They come first, since all others may follow from them, and are never reversed.
    const first = equivalents.map(({ equation, after }) => ({
      text: textOf(equation, 'as it is'),
      words: null,
      after: after.map((other) => textOf(other, 'as it is')),
      isCore: true,
    }));
    const firstTexts = new Set(first.map(({ text }) => text));
    const others = new Map(chosen.map(({ equation, words }) => [textOf(equation), words]));
    const rest = [...others].flatMap(([text, words]) =>
      firstTexts.has(text) ? [] : [{ text, words, after: [], isCore: false }],
    );
    return { equations: [...first, ...rest], signature: its, terms, withoutValue, reason };
  });
}

export const testedSchema = z.strictObject({
  /** The text to state; null if the words are not a well-typed equation. */
  text: z.string().nullable(),
  verdict: z.enum(['holds', 'fails', 'unevaluated', 'follows']),
});
export type Tested = z.infer<typeof testedSchema>;

/** Equations to test, in words over the functions near one statement, and equations that are known to hold. */
export interface EquationsToTest {
  readonly candidates: readonly (readonly string[])[];
  readonly known: readonly (readonly string[])[];
}

/** The test results for the equations near one statement. */
export interface TestedEquations {
  /** One answer per candidate, in order; empty if the statement could not be read. */
  readonly answers: readonly Tested[];
  /** Why it could not be read; otherwise empty. */
  readonly reason: string;
}

export const untested = (reason: string): TestedEquations => ({ answers: [], reason });

/** Returns one answer per statement, in order. Throws as `exploreModule` does. */
export async function testEquations(
  asked: readonly EquationsToTest[],
  stated: readonly StatedName[],
  options: ExploreOptions,
): Promise<TestedEquations[]> {
  return forEachVocabulary<TestedEquations>(
    stated,
    options,
    untested,
    async ({ values, wording }, textOf, { index }) => {
      const { candidates, known } = asked[index]!;
      const read = candidates.map((words) => wording.read(words));
      const whole = read.filter((equation) => equation !== null);
      const facts = known.flatMap((words) => wording.read(words) ?? []);
      const { stepsMax } = options.limits ?? EXPLORE_LIMITS;
      const results = await testEach(whole, facts, values, stepsMax, options.signal);
      const next = results.values();
      const answers = read.map((equation): Tested => {
        if (equation === null) return { text: null, verdict: 'fails' };
        const { equation: its, verdict } = next.next().value!;
        return { text: textOf(its), verdict };
      });
      return { answers, reason: '' };
    },
  );
}

/** The functions near a statement with all that exploration needs about them. */
interface Vocabulary {
  /** Equal for statements with the same functions near them. */
  readonly key: string;
  readonly evaluated: EvaluatedSymbols;
  readonly values: TestValues;
  readonly wording: Wording;
  /**
   * Returns the names that a function's definition mentions, directly or through other definitions, including its own
   * name.
   */
  readonly mentions: (full: string) => ReadonlySet<string>;
}

/**
 * Prints an equation as a theorem. With `greater`, the side that is greater in `byPathOrder` is on the left, so that
 * rewriting goes from left to right.
 */
type TextOf = (equation: Equation, side?: 'greater' | 'as it is') => string;

async function forEachVocabulary<Answer>(
  stated: readonly StatedName[],
  options: ExploreOptions,
  missing: (reason: string) => Answer,
  answer: (vocabulary: Vocabulary, textOf: TextOf, stated: StatedName) => Promise<Answer>,
): Promise<Answer[]> {
  const { limits = EXPLORE_LIMITS } = options;
  const terms = new Terms();
  const module = readModule(options.path, terms);
  const imports = [...new Set(module.imports.map((name) => moduleName(terms.names, name)))];
  const library = new CompiledLibrary(terms, imports, options.searchPath, options.indexFolder);
  const kernel = new Kernel(terms, { limits: DEFAULT_LIMITS, trusted: library });
  const reader = new SymbolReader(terms, kernel, library);
  const parts = { reader, evaluator: new Evaluator(terms, library, reader), seed: options.seed };
  const definitions = new DefinitionReader(terms, library, options);
  const print = (name: Name): string => terms.names.print(name);
  const mentions = mentioning(terms, definitions);
  const rankOf = ranks(terms, library, mentions);
  const indices = new Map(module.names.map((name, index) => [name, index]));
  const vocabularies = new Map<string, Vocabulary>();
  const answers: Answer[] = [];
  for (const one of stated) {
    const index = indices.get(terms.names.of(one.name));
    const constant = index === undefined ? undefined : module.constant(index);
    if (constant === undefined) {
      answers.push(missing('the module has no such theorem'));
      continue;
    }
    const own = functionsNear(definitions, constant.type, limits);
    const isCore = options.coreFunctions === true && own.length === 0;
    const near = isCore ? coreFunctionsIn(terms, library, constant.type).slice(0, limits.nearMax) : own;
    // Of two equal terms, the one found first is used in larger terms.
    const names = limits.simplestFirst
      ? near.toSorted((one, other) => rankOf(print(one)) - rankOf(print(other)))
      : near;
    const key = names.map(print).sort().join(' ');
    let vocabulary = vocabularies.get(key);
    if (vocabulary === undefined) {
      const evaluated = { ...parts, symbols: symbolsOf(names, reader) };
      const values = new TestValues(evaluated, limits.variablesMax);
      vocabulary = { key, evaluated, values, wording: new Wording(evaluated.symbols, values.variables), mentions };
      vocabularies.set(key, vocabulary);
    }
    const scope = {
      opened: one.opened,
      bound: VARIABLE_NAMES,
      has: (dotted: string) => library.has(terms.names.of(dotted)),
    };
    const written = (full: string): string => writtenName(displayName(terms.names, terms.names.of(full)), scope);
    const textOf: TextOf = (equation, side = 'greater') =>
      equationText(side === 'greater' ? byPathOrder(equation, rankOf) : equation, written, isCore ? 'Type _' : 'Type');
    answers.push(await answer(vocabulary, textOf, one));
  }
  return answers;
}

const shortWords = (words: string[] | null): string[] | null =>
  words !== null && words.length <= WORDS_MAX ? words : null;

function functionsNear(definitions: DefinitionReader, type: Expr, { nearMax, distanceMax }: ExploreLimits): Name[] {
  const mentioned = definitions.mentionedBy(type, NO_OWN);
  return mentioned.names
    .filter((_, index) => {
      const { kind, distance } = mentioned.definitions[index]!;
      return kind === 'definition' && distance <= distanceMax;
    })
    .slice(0, nearMax);
}

function mentioning(terms: Terms, definitions: DefinitionReader): Vocabulary['mentions'] {
  const known = new Map<string, ReadonlySet<string>>();
  return (full) => {
    let names = known.get(full);
    if (names === undefined) {
      const constant = terms.constant(terms.names.of(full), EMPTY_LEVELS);
      const mentioned = definitions.mentionedBy(constant, NO_OWN).names;
      names = new Set(mentioned.map((name) => terms.names.print(name)));
      known.set(full, names);
    }
    return names;
  };
}

/**
 * Ranks constructors by their position in the type's declaration, and functions by the number of definitions on which
 * they depend.
 */
function ranks(terms: Terms, library: CompiledLibrary, mentions: Vocabulary['mentions']): RankOf {
  const known = new Map<string, number>();
  return (full) => {
    let rank = known.get(full);
    if (rank === undefined) {
      const constant = library.constant(terms.names.of(full));
      rank = constant?.kind === 'constructor' ? constant.index : mentions(full).size;
      known.set(full, rank);
    }
    return rank;
  };
}
