/**
 * Finds the definitions that a statement uses: starting from the constants of its type, follows the types and values of
 * constants that a person wrote in one of our modules. Constants that Lean generated (matchers, recursors, equations)
 * are followed but not listed.
 */
import { sep } from 'node:path';
import {
  type CompiledBinder,
  type CompiledConstant,
  type CompiledLibrary,
  displayName,
  type Expr,
  type IndexedModule,
  type Name,
  publicName,
  type Terms,
  type WrittenDeclarations,
} from '@stp/lean-kernel';
import { mentionsInOrder } from './mentions.ts';
import { declarationText, sourceLines } from './source-text.ts';
import type { ContextDefinition } from './statement-context.ts';

/** Roots of widely known modules, whose constants are named but not described. */
const SHARED_ROOTS = new Set(
  'Mathlib Batteries Aesop Qq ProofWidgets ImportGraph Plausible LeanSearchClient Cli Lake'.split(' '),
);
/** Maximum number of definitions for one statement. */
const DEFINITIONS_MAX = 400;
/** Matches the recursors to which Lean compiles recursion. */
const RECURSORS = /^(?:brecOn|binductionOn)/u;
const WELL_FOUNDED = new Set(['WellFounded.fix', 'WellFounded.Nat.fix', 'WellFounded.fixF']);

export type Definition = Omit<ContextDefinition, 'written'>;

export interface MentionedDefinitions {
  readonly definitions: readonly Definition[];
  /** Kernel names of the definitions, in the same order. */
  readonly names: readonly Name[];
  /** Constants of other libraries that the type mentions. */
  readonly core: readonly Name[];
}

export interface DefinitionOptions {
  /** Folder of the toolchain's own modules. */
  readonly toolchainFolder: string;
  /** Returns the source text of a module; null if it is unknown. */
  readonly source: (module: string) => string | null;
}

/** Constants of the statement's own module: definitions of its header, or a `match` in the statement. */
export interface OwnConstants {
  /** Returns null if the module lacks the name. */
  readonly constant: (name: Name) => CompiledConstant | null;
  /** Whether the source contains its declaration. */
  readonly isWritten: (name: Name) => boolean;
  readonly binders: (name: Name) => readonly CompiledBinder[];
}

export const NO_OWN: OwnConstants = { constant: () => null, isWritten: () => false, binders: () => [] };

export class DefinitionReader {
  readonly #terms: Terms;
  readonly #library: CompiledLibrary;
  readonly #options: DefinitionOptions;
  readonly #written = new Map<IndexedModule, WrittenDeclarations>();
  readonly #lines = new Map<string, readonly string[] | null>();
  readonly #read = new Map<Name, Omit<Definition, 'distance'>>();

  constructor(terms: Terms, library: CompiledLibrary, options: DefinitionOptions) {
    this.#terms = terms;
    this.#library = library;
    this.#options = options;
  }

  mentionedBy(type: Expr, own: OwnConstants): MentionedDefinitions {
    const terms = this.#terms;
    const distances = new Map<Name, number>();
    const core = new Set<Name>();
    const passed = new Set<Name>();
    let nearest = mentionsInOrder(terms, [type]);
    for (let distance = 0; nearest.length > 0 && distances.size < DEFINITIONS_MAX; distance++) {
      const next: Name[] = [];
      const waiting = nearest.toReversed();
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        if (passed.has(name)) continue;
        passed.add(name);
        const made = own.constant(name);
        const location = made === null ? this.#library.locate(name) : null;
        if (made === null && (location === null || this.#isShared(location.module))) {
          if (distance === 0 && location !== null) core.add(name);
          continue;
        }
        const constant = made ?? this.#library.constant(name)!;
        const isWritten = location === null ? own.isWritten(name) : this.#isWritten(name, location.module);
        const isNamed = isWritten && constant.kind !== 'theorem';
        if (isNamed && constant.kind !== 'recursor') {
          distances.set(name, distance);
          next.push(...mentionsInOrder(terms, termsOf(constant)), ...constructorsOf(constant));
        } else if (constant.kind !== 'theorem')
          waiting.push(...[...mentionsInOrder(terms, termsOf(constant)), ...constructorsOf(constant)].reverse());
      }
      nearest = next;
    }
    const names = [...distances.keys()].slice(0, DEFINITIONS_MAX);
    return {
      definitions: names.map((name) => ({ ...this.#definition(name, own), distance: distances.get(name)! })),
      names,
      core: [...core],
    };
  }

  #isShared({ name, path }: IndexedModule): boolean {
    return path.startsWith(this.#options.toolchainFolder + sep) || SHARED_ROOTS.has(name.split('.')[0]!);
  }

  #writtenIn(module: IndexedModule): WrittenDeclarations {
    const known = this.#written.get(module) ?? this.#library.written(module);
    this.#written.set(module, known);
    return known;
  }

  #isWritten(name: Name, module: IndexedModule): boolean {
    const { ranges, projections } = this.#writtenIn(module);
    return ranges.has(name) || projections.has(name);
  }

  #definition(name: Name, own: OwnConstants): Omit<Definition, 'distance'> {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const given = own.constant(name);
    if (given !== null)
      return {
        name: displayName(this.#terms.names, name),
        kind: 'definition',
        signature: null,
        equations: [],
        isRecursive: this.#isRecursive(name, given, own),
        arity: explicitIn(own.binders(name)),
      };
    const { module } = this.#library.locate(name)!;
    const constant = this.#library.constant(name)!;
    const { ranges, projections } = this.#writtenIn(module);
    const range = ranges.get(name);
    const lines = range === undefined ? null : this.#sourceOf(module.name);
    const isValue = constant.kind !== 'inductive' && constant.kind !== 'constructor';
    const text = lines === null ? null : declarationText(lines, range!, isValue);
    const kind = projections.has(name) ? 'projection' : this.#kindOf(constant, projections, text?.signature ?? '');
    const made = {
      name: displayName(this.#terms.names, publicName(this.#terms.names, name)),
      kind,
      signature: text?.signature ?? null,
      equations: text?.equations ?? [],
      isRecursive: constant.kind === 'definition' && this.#isRecursive(name, constant, own),
      arity: explicitIn(this.#library.binders(name)),
    };
    this.#read.set(name, made);
    return made;
  }

  #kindOf(constant: CompiledConstant, projections: ReadonlySet<Name>, signature: string): Definition['kind'] {
    const { names } = this.#terms;
    if (constant.kind === 'constructor') return 'constructor';
    if (constant.kind === 'inductive')
      return [...projections].some((field) => names.prefix(field) === constant.name) ? 'structure' : 'inductive';
    // A name that Lean gave or derived, or a declaration that the source calls an instance.
    const isInstance = /^inst\P{Ll}/u.test(String(names.last(constant.name))) || /\binstance\b/u.test(signature);
    return isInstance ? 'instance' : 'definition';
  }

  #sourceOf(module: string): readonly string[] | null {
    const known = this.#lines.get(module);
    if (known !== undefined) return known;
    const source = this.#options.source(module);
    const lines = source === null ? null : sourceLines(source);
    this.#lines.set(module, lines);
    return lines;
  }

  /** Whether a constant of another library is a recursive definition. */
  isRecursive(name: Name, own: OwnConstants): boolean {
    const constant = this.#library.constant(name);
    return constant?.kind === 'definition' && this.#isRecursive(name, constant, own);
  }

  /** Whether its value, or that of a part that Lean made for it (`f._unary`), is recursive. */
  #isRecursive(name: Name, constant: CompiledConstant, own: OwnConstants): boolean {
    const { names } = this.#terms;
    const seen = new Set<Name>();
    const waiting = [constant];
    for (let its = waiting.pop(); its !== undefined; its = waiting.pop())
      for (const mentioned of mentionsInOrder(this.#terms, termsOf(its))) {
        const last = String(names.last(mentioned));
        if (RECURSORS.test(last) || last === 'rec' || WELL_FOUNDED.has(names.print(mentioned))) return true;
        if (seen.has(mentioned) || names.prefix(mentioned) !== name || last.startsWith('match_')) continue;
        seen.add(mentioned);
        const part = own.constant(mentioned) ?? this.#library.constant(mentioned);
        if (part !== null) waiting.push(part);
      }
    return false;
  }
}

function explicitIn(binders: readonly CompiledBinder[]): number {
  return binders.filter((binder) => binder.kind === 'explicit').length;
}

function termsOf(constant: CompiledConstant): Expr[] {
  return 'value' in constant && constant.kind !== 'theorem' ? [constant.type, constant.value] : [constant.type];
}

function constructorsOf(constant: CompiledConstant): readonly Name[] {
  if (constant.kind === 'inductive') return constant.constructors;
  return constant.kind === 'constructor' ? [constant.inductive] : [];
}
