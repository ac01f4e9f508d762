/**
 * Conjectures by exploration: what functions near a statement satisfy on test values, as texts of theorems. Nothing is learned;
 * what is proposed is well formed, passed tests and may still be false. Reads compiled objects, runs nothing.
 */
import { z } from 'zod';
import { DefinitionReader, NO_OWN } from '../context/definitions.ts';
import type { ModuleToRead, StatedName } from '../context/read-module.ts';
import { writtenName } from '../context/written-name.ts';
import { DEFAULT_LIMITS } from '../kernel/budget.ts';
import { type Expr, Terms } from '../kernel/expr.ts';
import { Kernel } from '../kernel/kernel.ts';
import type { Name } from '../kernel/name.ts';
import { readModule } from '../kernel/olean/compiled-file.ts';
import { CompiledLibrary } from '../kernel/olean/library.ts';
import { moduleName } from '../kernel/olean/module-finder.ts';
import { displayName } from '../kernel/olean/names.ts';
import { EXPLORE_LIMITS, type ExploreLimits, Explorer } from './equations.ts';
import { Evaluator } from './evaluator.ts';
import {
  ARROW,
  ELEMENT,
  ELEMENT_TYPE,
  type GroundType,
  instantiateType,
  NATURAL_TYPE,
  typeKey,
} from './ground-type.ts';
import { SignatureReader, type TermSymbol } from './signature.ts';
import { equationText, VARIABLE_NAMES } from './terms.ts';

/** Functions of one signature: those nearest to the statement. */
const FUNCTIONS_MAX = 7;
/** 1: what the statement mentions, and what the definitions of that mention. */
const DISTANCE_MAX = 1;

export const exploredStatementSchema = z.strictObject({
  /** `{α : Type} (xs : List α) : left = right`, each once; fewer functions first. */
  equations: z.array(z.string()),
  /** Terms that were evaluated, and those without a value. */
  terms: z.number().int(),
  withoutValue: z.number().int(),
  /** Why there is nothing; empty otherwise. */
  reason: z.string(),
});
export type ExploredStatement = z.infer<typeof exploredStatementSchema>;

/** The answer for a statement that could not be compiled or read. */
export const unexplored = (reason: string): ExploredStatement => ({ equations: [], terms: 0, withoutValue: 0, reason });

export interface ExploreOptions extends ModuleToRead {
  readonly seed: number;
  /** As many random equations instead, a control: well formed, most of them false. */
  readonly random?: boolean;
  readonly limits?: ExploreLimits;
  readonly signal?: AbortSignal;
}

/** An answer for each, in order. Statements over the same functions share the work. Throws STP1801 and `Decline` as the kernel's readers do. */
export async function exploreModule(
  stated: readonly StatedName[],
  options: ExploreOptions,
): Promise<ExploredStatement[]> {
  const terms = new Terms();
  const module = readModule(options.path, terms);
  const imports = [...new Set(module.imports.map((name) => moduleName(terms.names, name)))];
  const library = new CompiledLibrary(terms, imports, options.searchPath, options.indexFolder);
  const kernel = new Kernel(terms, { limits: DEFAULT_LIMITS, trusted: library });
  const signature = new SignatureReader(terms, kernel, library);
  const parts = { signature, evaluator: new Evaluator(terms, library, signature), seed: options.seed };
  const definitions = new DefinitionReader(terms, library, options);
  const places = new Map(module.names.map((name, place) => [name, place]));
  const done = new Map<
    string,
    Omit<ExploredStatement, 'equations'> & { equations: readonly ((written: Written) => string)[] }
  >();
  const one = async ({ name, opened }: StatedName): Promise<ExploredStatement> => {
    const place = places.get(terms.names.of(name));
    const constant = place === undefined ? undefined : module.constant(place);
    if (constant === undefined) return unexplored('the module has no such theorem');
    const names = functionsNear(definitions, constant.type);
    const key = names
      .map((one) => terms.names.print(one))
      .sort()
      .join(' ');
    let found = done.get(key);
    if (found === undefined) {
      const symbols = symbolsOf(names, signature);
      const explorer = new Explorer(symbols, parts, options.limits ?? EXPLORE_LIMITS);
      const explored = await explorer.explore(options.signal);
      const chosen = options.random ? explorer.randomEquations(explored.equations.length) : explored.equations;
      const equations = chosen.map((equation) => (written: Written) => equationText(equation, written));
      const reason = symbols.some((symbol) => !symbol.isConstructor)
        ? ''
        : 'no function near it has a first-order type';
      found = { ...explored, equations, reason };
      done.set(key, found);
    }
    const scope = { opened, bound: VARIABLE_NAMES, has: (dotted: string) => library.has(terms.names.of(dotted)) };
    const written: Written = (full) => writtenName(displayName(terms.names, terms.names.of(full)), scope);
    return { ...found, equations: [...new Set(found.equations.map((equation) => equation(written)))] };
  };
  const answers: ExploredStatement[] = [];
  for (const its of stated) answers.push(await one(its));
  return answers;
}

type Written = (name: string) => string;

function functionsNear(definitions: DefinitionReader, type: Expr): Name[] {
  const mentioned = definitions.mentionedBy(type, NO_OWN);
  return mentioned.names
    .filter((_, place) => {
      const { kind, distance } = mentioned.definitions[place]!;
      return kind === 'definition' && distance <= DISTANCE_MAX;
    })
    .slice(0, FUNCTIONS_MAX);
}

/** The functions at elements, or at numbers where they test for equality or others of the signature ask it, and constructors of their types. */
function symbolsOf(functions: readonly Name[], signature: SignatureReader): TermSymbol[] {
  const symbols: TermSymbol[] = [];
  const schemes = functions.flatMap((name) => signature.scheme(name) ?? []);
  const monomorphic = schemes.flatMap((scheme) =>
    scheme.variables === 0 || scheme.withEquality.size > 0
      ? [...scheme.slots.flatMap((slot) => (slot.kind === 'value' ? [slot.type] : [])), scheme.result]
      : [],
  );
  // Lists of numbers in one function: all are explored at numbers, so that they fit together.
  const atNumbers = monomorphic.some(
    (type) => 'head' in type && type.head !== 'Nat' && type.head !== ARROW && type.args.length > 0,
  );
  const element = atNumbers ? NATURAL_TYPE : ELEMENT_TYPE;
  const add = (name: Name, types: readonly GroundType[], isConstructor: boolean): void => {
    const scheme = signature.scheme(name);
    if (scheme === null) return;
    const given = scheme.slots.flatMap((slot) => (slot.kind === 'value' ? [instantiateType(slot.type, types)] : []));
    const result = instantiateType(scheme.result, types);
    symbols.push({ name: signature.terms.names.print(name), scheme, types, arguments: given, result, isConstructor });
  };
  for (const scheme of schemes)
    add(
      scheme.name,
      Array.from({ length: scheme.variables }, () => element),
      false,
    );
  const types = new Map<string, GroundType>();
  for (const { arguments: given, result } of symbols)
    for (const type of [...given, result]) types.set(typeKey(type), type);
  for (const type of types.values()) {
    if (type.head === ELEMENT || type.head === ARROW) continue;
    for (const name of signature.inductive(type.head)?.constructors ?? []) add(name, type.args, true);
  }
  return symbols;
}
