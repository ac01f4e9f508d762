/**
 * Conjectures by exploration: what functions near a statement satisfy on test values, as texts of theorems. Nothing is learned;
 * what is proposed is well formed, passed tests and may still be false. Reads compiled objects, runs nothing.
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
import { SignatureReader } from './signature.ts';
import { type Equation, equationText, VARIABLE_NAMES } from './terms.ts';
import { testEach } from './test-equations.ts';
import { type EvaluatedSignature, TestValues } from './test-values.ts';
import { Wording } from './words.ts';

export const exploredStatementSchema = z.strictObject({
  /** Each once; fewer functions first, after those with functions of Lean's core library. */
  equations: z.array(
    z.strictObject({
      /** `{α : Type} (xs : List α) : left = right`. */
      text: z.string(),
      /** The equation in the words of `Wording`; null where it has none. */
      words: equationWordsSchema.nullable(),
      /** Texts of others that its proof is likely to need. */
      after: z.array(z.string()),
      /** Does it say which function of Lean's core library a function is? */
      isCore: z.boolean(),
    }),
  ),
  /** The signature of terms that equations are made of there. */
  signature: termSignatureSchema,
  /** Terms that were evaluated, and those without a value. */
  terms: z.number().int(),
  withoutValue: z.number().int(),
  /** Why there is nothing; empty otherwise. */
  reason: z.string(),
});
export type ExploredStatement = z.infer<typeof exploredStatementSchema>;

const NO_SIGNATURE: TermSignature = { types: [], symbols: [] };

/** The answer for a statement that could not be compiled or read. */
export const unexplored = (reason: string): ExploredStatement => ({
  equations: [],
  signature: NO_SIGNATURE,
  terms: 0,
  withoutValue: 0,
  reason,
});

export interface ExploreOptions extends ModuleToRead {
  readonly seed: number;
  /** A control: gives as many random equations instead, well formed and most of them false. */
  readonly random?: boolean;
  /** Puts the equations of `CoreEquivalents` first. */
  readonly coreEquivalents?: boolean;
  /** Explores functions of Lean's core library where a statement uses no others. */
  readonly coreFunctions?: boolean;
  readonly limits?: ExploreLimits;
  readonly signal?: AbortSignal;
}

/** An answer for each, in order. Statements over the same functions share the work. Throws STP1801 and `Decline` as the kernel's readers do. */
export async function exploreModule(
  stated: readonly StatedName[],
  options: ExploreOptions,
): Promise<ExploredStatement[]> {
  const { limits = EXPLORE_LIMITS } = options;
  let coreEquivalents: CoreEquivalents | undefined;
  const exploreOne = async ({ evaluated, values, wording, mentions }: Signature) => {
    coreEquivalents ??= new CoreEquivalents(evaluated.signature);
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
  return forEachSignature(stated, options, unexplored, async (signature, textOf) => {
    const known = done.get(signature.key) ?? (await exploreOne(signature));
    done.set(signature.key, known);
    const { equivalents, chosen, signature: its, terms, withoutValue, reason } = known;
    // First, since all others may follow from them; and never turned round.
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
  /** The text to state; null where the words are no well-typed equation. */
  text: z.string().nullable(),
  verdict: z.enum(['holds', 'fails', 'unevaluated', 'follows']),
});
export type Tested = z.infer<typeof testedSchema>;

/** Equations to test, in words over the functions near one statement, and such as are known to hold. */
export interface EquationsToTest {
  readonly candidates: readonly (readonly string[])[];
  readonly known: readonly (readonly string[])[];
}

/** The equations over the functions near one statement. */
export interface TestedEquations {
  /** One for each candidate, in order; none where the statement could not be read. */
  readonly answers: readonly Tested[];
  /** Why it could not be read; empty otherwise. */
  readonly reason: string;
}

export const untested = (reason: string): TestedEquations => ({ answers: [], reason });

/** An answer for each statement, in order. Throws as `exploreModule` does. */
export async function testEquations(
  asked: readonly EquationsToTest[],
  stated: readonly StatedName[],
  options: ExploreOptions,
): Promise<TestedEquations[]> {
  return forEachSignature<TestedEquations>(
    stated,
    options,
    untested,
    async ({ values, wording }, textOf, { place }) => {
      const { candidates, known } = asked[place]!;
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

interface Signature {
  /** Equal for statements with the same functions near them. */
  readonly key: string;
  readonly evaluated: EvaluatedSignature;
  readonly values: TestValues;
  readonly wording: Wording;
  /** Names of what the function's definition mentions, and the definitions of that, and so on; its own is among them. */
  readonly mentions: (full: string) => ReadonlySet<string>;
}

/** As a theorem says it: what rewrites by it goes from its left to its right, the greater side as `byPathOrder` has it, or as it is. */
type TextOf = (equation: Equation, side?: 'greater' | 'as it is') => string;

async function forEachSignature<Answer>(
  stated: readonly StatedName[],
  options: ExploreOptions,
  missing: (reason: string) => Answer,
  answer: (signature: Signature, textOf: TextOf, stated: StatedName) => Promise<Answer>,
): Promise<Answer[]> {
  const { limits = EXPLORE_LIMITS } = options;
  const terms = new Terms();
  const module = readModule(options.path, terms);
  const imports = [...new Set(module.imports.map((name) => moduleName(terms.names, name)))];
  const library = new CompiledLibrary(terms, imports, options.searchPath, options.indexFolder);
  const kernel = new Kernel(terms, { limits: DEFAULT_LIMITS, trusted: library });
  const reader = new SignatureReader(terms, kernel, library);
  const parts = { signature: reader, evaluator: new Evaluator(terms, library, reader), seed: options.seed };
  const definitions = new DefinitionReader(terms, library, options);
  const print = (name: Name): string => terms.names.print(name);
  const mentions = mentioning(terms, definitions);
  const rankOf = ranks(terms, library, mentions);
  const places = new Map(module.names.map((name, place) => [name, place]));
  const signatures = new Map<string, Signature>();
  const answers: Answer[] = [];
  for (const one of stated) {
    const place = places.get(terms.names.of(one.name));
    const constant = place === undefined ? undefined : module.constant(place);
    if (constant === undefined) {
      answers.push(missing('the module has no such theorem'));
      continue;
    }
    const own = functionsNear(definitions, constant.type, limits);
    const isCore = options.coreFunctions === true && own.length === 0;
    const near = isCore ? coreFunctionsIn(terms, library, constant.type).slice(0, limits.nearMax) : own;
    // Of two equal terms the one found first stands in larger ones.
    const names = limits.simplestFirst
      ? near.toSorted((one, other) => rankOf(print(one)) - rankOf(print(other)))
      : near;
    const key = names.map(print).sort().join(' ');
    let signature = signatures.get(key);
    if (signature === undefined) {
      const evaluated = { ...parts, symbols: symbolsOf(names, reader) };
      const values = new TestValues(evaluated, limits.variablesMax);
      signature = { key, evaluated, values, wording: new Wording(evaluated.symbols, values.variables), mentions };
      signatures.set(key, signature);
    }
    const scope = {
      opened: one.opened,
      bound: VARIABLE_NAMES,
      has: (dotted: string) => library.has(terms.names.of(dotted)),
    };
    const written = (full: string): string => writtenName(displayName(terms.names, terms.names.of(full)), scope);
    const textOf: TextOf = (equation, side = 'greater') =>
      equationText(side === 'greater' ? byPathOrder(equation, rankOf) : equation, written, isCore ? 'Type _' : 'Type');
    answers.push(await answer(signature, textOf, one));
  }
  return answers;
}

const shortWords = (words: string[] | null): string[] | null =>
  words !== null && words.length <= WORDS_MAX ? words : null;

function functionsNear(definitions: DefinitionReader, type: Expr, { nearMax, distanceMax }: ExploreLimits): Name[] {
  const mentioned = definitions.mentionedBy(type, NO_OWN);
  return mentioned.names
    .filter((_, place) => {
      const { kind, distance } = mentioned.definitions[place]!;
      return kind === 'definition' && distance <= distanceMax;
    })
    .slice(0, nearMax);
}

function mentioning(terms: Terms, definitions: DefinitionReader): Signature['mentions'] {
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

/** A constructor is the greater the later its type declares it; a function, the more definitions its own one rests on. */
function ranks(terms: Terms, library: CompiledLibrary, mentions: Signature['mentions']): RankOf {
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
