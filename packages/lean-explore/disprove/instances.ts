/**
 * Instances of a statement: test values for the binders of its compiled theorem. Also verifies that a second theorem of
 * the same module states the negation of the first. Reads compiled modules without running code.
 */
import {
  ANONYMOUS,
  argumentsOf,
  CONSTANT,
  type CompiledConstant,
  CompiledLibrary,
  type CompiledModule,
  DEFAULT_LIMITS,
  displayName,
  type Expr,
  explained,
  FORALL,
  headOf,
  Kernel,
  moduleName,
  type Name,
  readModule,
  SORT,
  statesTheSame,
  Terms,
} from '@stp/lean-kernel';
import type { ModuleToRead, StatedName } from '../context/read-module.ts';
import { type NameScope, writtenName } from '../context/written-name.ts';
import { ELEMENT_TYPE, type GroundType, instantiateType, typeKey } from '../explore/ground-type.ts';
import { SmallRandom, sampleValue } from '../explore/samples.ts';
import { readType, SymbolReader } from '../explore/symbol-schemes.ts';
import { type ElementType, LIFTED_TYPES, SMALL_TYPES, valueText } from './value-text.ts';

/** Maximum number of instances for one choice of types. */
const INSTANCES_MAX = 60;
/** Maximum sizes of values, in order. Small values may satisfy a statement that larger ones violate. */
const SIZES = [1, 2, 3, 4, 5, 6, 12, 25, 50];
/** One in this many values repeats the previous value of its type. */
const SAME_ONCE_IN = 4;
/** One in this many instances has values with a single end, and one has values with two ends. */
const FEW_ENDS_IN = 4;
const ENDS = 3;
const SEED = 1;
/** Numerals serve as values of types that are unknown here, such as rational numbers or `Fin 5`. */
const NUMERALS = ['0', '1', '2', '3', '(-1)', '5', '7'];

/** Arguments for other binders; both alternatives are tried. */
const FIXED = {
  proposition: ['False', 'True'],
  predicate: ['(fun _ => False)', '(fun _ => True)'],
  instance: ['inferInstance', 'inferInstance'],
  hypothesis: ['(by decide)', '(by decide)'],
} as const;

/** What may replace a binder of a statement. */
type Slot =
  | { readonly kind: 'type'; readonly isSmall: boolean }
  | { readonly kind: keyof typeof FIXED }
  /** `type` is null for a type without known values. */
  | { readonly kind: 'value'; readonly type: GroundType | null };

export interface NamedValue {
  /** The binder's name in the statement; null if it has none. */
  readonly name: string | null;
  /** The value as a Lean term. */
  readonly value: string;
}

/** One instance: arguments for the statement's binders, except for its last hypotheses. */
export interface Instance {
  readonly arguments: readonly string[];
  /** Only the arguments that are types, propositions or values. */
  readonly values: readonly NamedValue[];
}

/** The instances of a statement, smallest first, or the reason why there are none. */
export type Instances =
  | { readonly instances: readonly Instance[] }
  | { readonly reason: string; readonly isUnreadable?: boolean };

/**
 * Reads the instances of the first theorem, if the second is exactly its negation: `¬` applied to the first one's type,
 * below no further binder. Throws as the kernel's readers do.
 */
export function readInstances(stated: readonly StatedName[], options: ModuleToRead): Instances[] {
  const [statement, negation] = stated;
  if (statement?.index !== 0 || negation?.index !== 1)
    return stated.map(() => ({ reason: 'Lean cannot read its negation' }));
  const terms = new Terms();
  const module = readModule(options.path, terms);
  return explained(options.path, () => {
    const [first, second] = [statement, negation].map(({ name }) => constantOf(module, terms.names.of(name)));
    if (!first || !second || !isNegation(terms, module, first, second)) {
      const reason = 'its negation cannot be written as a theorem of its own: a variable of the header may stand in it';
      return stated.map(() => ({ reason }));
    }
    const found = instancesOf(first, statement, module, terms, options);
    return stated.map(() => found);
  });
}

function constantOf(module: CompiledModule, name: Name): CompiledConstant | null {
  const index = module.names.indexOf(name);
  return index < 0 ? null : module.constant(index);
}

function isNegation(terms: Terms, module: CompiledModule, first: CompiledConstant, second: CompiledConstant): boolean {
  const head = headOf(terms, second.type);
  const given = argumentsOf(terms, second.type);
  if (terms.kind(head) !== CONSTANT || terms.name(head) !== terms.names.of('Not') || given.length !== 1) return false;
  const own = (name: Name): CompiledConstant | null => constantOf(module, name);
  return statesTheSame(terms, { constant: { ...second, type: given[0]! }, own }, { constant: first, own });
}

function instancesOf(
  constant: CompiledConstant,
  { name, opened }: StatedName,
  module: CompiledModule,
  terms: Terms,
  options: ModuleToRead,
): Instances {
  const imports = [...new Set(module.imports.map((its) => moduleName(terms.names, its)))];
  const library = new CompiledLibrary(terms, imports, options.searchPath, options.indexFolder);
  const kernel = new Kernel(terms, { limits: DEFAULT_LIMITS, trusted: library });
  const written = module.binders(module.names.indexOf(terms.names.of(name)));
  const kinds = written.map(({ kind }) => kind);
  const slots = kernel.ask((checker) => {
    const locals: Expr[] = [];
    const types = new Map<Expr, number>();
    const found: Slot[] = [];
    for (let at = constant.type; terms.kind(at) === FORALL; at = terms.body(at)) {
      const its = checker.substitution.instantiate(terms.binderType(at), locals);
      const local = checker.local(its);
      locals.push(local);
      if (kinds[found.length] === 'instance') {
        found.push({ kind: 'instance' });
        continue;
      }
      const whole = checker.reduction.whnf(its);
      if (terms.kind(whole) === SORT) {
        const level = terms.level(whole);
        if (level === terms.levels.zero) found.push({ kind: 'proposition' });
        else {
          found.push({ kind: 'type', isSmall: level === terms.levels.successor(terms.levels.zero) });
          types.set(local, types.size);
        }
      } else if (checker.inference.isProposition(its)) found.push({ kind: 'hypothesis' });
      else if (terms.kind(whole) === FORALL && isProp(terms, terms.body(whole))) found.push({ kind: 'predicate' });
      else {
        const scheme = readType(terms, checker, whole, types);
        const elements = [...types].map(() => ELEMENT_TYPE);
        found.push({ kind: 'value', type: scheme === null ? null : instantiateType(scheme, elements) });
      }
    }
    return found;
  });
  if (slots === null) return { reason: 'the types of its binders could not be told' };
  const names = written.map((binder) => (binder.name === ANONYMOUS ? null : displayName(terms.names, binder.name)));
  const scope: NameScope = {
    opened,
    bound: new Set(),
    has: (dotted) => library.has(terms.names.of(dotted)),
  };
  const reader = new SymbolReader(terms, kernel, library);
  const filling = {
    slots: untilLastValue(slots),
    names,
    reader,
    written: (full: string) => writtenName(full, scope),
  };
  return { instances: choicesOf(slots).flatMap((element) => filled(element, filling)) };
}

const isProp = (terms: Terms, expr: Expr): boolean =>
  terms.kind(expr) === SORT && terms.level(expr) === terms.levels.zero;

/**
 * Cuts the slots after the last value. The remaining hypotheses and the conclusion form one proposition that Lean
 * decides.
 */
function untilLastValue(slots: readonly Slot[]): readonly Slot[] {
  return slots.slice(0, 1 + slots.findLastIndex(({ kind }) => kind !== 'hypothesis' && kind !== 'instance'));
}

function choicesOf(slots: readonly Slot[]): readonly ElementType[] {
  const types = slots.flatMap((slot) => (slot.kind === 'type' ? [slot.isSmall] : []));
  if (types.length === 0) return SMALL_TYPES.slice(0, 1);
  return types.every((isSmall) => isSmall) ? SMALL_TYPES : LIFTED_TYPES;
}

interface Filling {
  readonly slots: readonly Slot[];
  readonly names: readonly (string | null)[];
  readonly reader: SymbolReader;
  readonly written: (full: string) => string;
}

/** Returns distinct instances. If there is a single number, it takes all values from 0. */
function filled(element: ElementType, { slots, names, reader, written }: Filling): Instance[] {
  const random = new SmallRandom(SEED);
  const found = new Map<string, Instance>();
  const numbers = slots.filter((slot) => slot.kind === 'value');
  const isOneNumber = numbers.length === 1 && numbers[0]!.type?.head === 'Nat';
  for (let test = 0; test < INSTANCES_MAX; test++) {
    const size = test === 0 ? 0 : SIZES[test % SIZES.length]!;
    const few = test % FEW_ENDS_IN;
    const ends = few === 1 || few === 2 ? { from: random.below(ENDS), count: few } : null;
    const last = new Map<string, string>();
    const value = (type: GroundType | null): string | null => {
      if (isOneNumber) return String(test);
      if (type === null) return NUMERALS[test < NUMERALS.length ? test : random.below(NUMERALS.length)]!;
      const key = typeKey(type);
      const before = random.below(SAME_ONCE_IN) === 0 ? last.get(key) : undefined;
      const sampled = before === undefined ? sampleValue(reader, type, { size, ends }, random) : null;
      const text = before ?? (sampled === null ? null : valueText(sampled, type, { reader, written, element }));
      if (text !== null) last.set(key, text);
      return text;
    };
    const texts = slots.map((slot) => {
      if (slot.kind === 'value') return value(slot.type);
      if (slot.kind === 'type') return element.type;
      const [no, yes] = FIXED[slot.kind];
      return random.below(2) === 0 ? no : yes;
    });
    if (texts.includes(null)) continue;
    const values = slots.flatMap(({ kind }, index) =>
      kind === 'instance' || kind === 'hypothesis' ? [] : [{ name: names[index]!, value: texts[index]! }],
    );
    found.set(texts.join(' '), { arguments: texts as string[], values });
  }
  return [...found.values()];
}
