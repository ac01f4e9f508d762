/**
 * A mutual block of inductive types during its check: its declaration, and the results of checking its types. With
 * nested types the block has auxiliary types in addition to the declared ones (`nested.ts`).
 */
import type { Checker } from '../check/checker.ts';
import { APPLICATION, CONSTANT, type Expr, FORALL, LAMBDA, LET, PROJECTION } from '../expr.ts';
import type { Level, LevelList } from '../level.ts';
import type { PairMemory } from '../memory.ts';
import type { Name } from '../name.ts';
import { argumentCount, argumentsOf, headOf } from '../spine.ts';

export interface BlockConstructor {
  readonly name: Name;
  readonly type: Expr;
}

export interface BlockType {
  readonly name: Name;
  readonly type: Expr;
  readonly constructors: readonly BlockConstructor[];
}

export interface Block {
  readonly levelParams: readonly Name[];
  readonly parameters: number;
  readonly types: readonly BlockType[];
}

export interface CheckedType extends BlockType {
  /** The type former at the block's own universe parameters. */
  readonly constant: Expr;
  readonly indices: number;
}

export interface CheckedBlock {
  readonly levelParams: readonly Name[];
  /** The universe parameters as levels. */
  readonly levels: LevelList;
  /** Local variables for the parameters, shared by all types and constructors. */
  readonly parameters: readonly Expr[];
  readonly types: readonly CheckedType[];
  /** The universe all types of the block live in. */
  readonly level: Level;
  readonly occurrences: Occurrences;
}

/** Whether expressions mention one of some constants. */
export class Occurrences {
  readonly #checker: Checker;
  readonly #names: ReadonlySet<Name>;
  readonly #found: PairMemory;

  constructor(checker: Checker, names: Iterable<Name>) {
    this.#checker = checker;
    this.#names = new Set(names);
    this.#found = checker.memory();
  }

  in(expr: Expr): boolean {
    const { terms, budget } = this.#checker;
    const kind = terms.kind(expr);
    if (kind === CONSTANT) return this.#names.has(terms.name(expr));
    const known = this.#found.get(expr, 0);
    if (known >= 0) return known === 1;
    budget.step();
    let isFound = false;
    switch (kind) {
      case APPLICATION:
        isFound = this.in(terms.fn(expr)) || this.in(terms.argument(expr));
        break;
      case LAMBDA:
      case FORALL:
        isFound = this.in(terms.binderType(expr)) || this.in(terms.body(expr));
        break;
      case LET:
        isFound = this.in(terms.binderType(expr)) || this.in(terms.letValue(expr)) || this.in(terms.letBody(expr));
        break;
      case PROJECTION:
        // The structure is a name only: a value of it mentions the constant in its type.
        isFound = this.#names.has(terms.name(expr)) || this.in(terms.projected(expr));
    }
    this.#found.set(expr, 0, isFound ? 1 : 0);
    return isFound;
  }
}

/** Which type of the block this is an application of: to its parameters themselves and to indices free of the block; or -1. */
export function appliedType(checker: Checker, block: CheckedBlock, expr: Expr): number {
  const { terms } = checker;
  const head = headOf(terms, expr);
  const at = block.types.findIndex((type) => type.constant === head);
  const type = block.types[at];
  if (type === undefined || argumentCount(terms, expr) !== block.parameters.length + type.indices) return -1;
  const isApplied = argumentsOf(terms, expr).every((argument, position) =>
    position < block.parameters.length ? argument === block.parameters[position] : !block.occurrences.in(argument),
  );
  return isApplied ? at : -1;
}

/** Without the wrappers around a binder's type that speak to the elaborator (`outParam`, `optParam` …). */
export function withoutAnnotations(checker: Checker, type: Expr): Expr {
  const { terms, known, reduction } = checker;
  let plain = type;
  for (;;) {
    const name = reduction.headName(plain);
    const count = name === -1 ? undefined : known.annotations.get(name);
    if (count === undefined || argumentCount(terms, plain) !== count) return plain;
    plain = argumentsOf(terms, plain)[0]!;
  }
}
