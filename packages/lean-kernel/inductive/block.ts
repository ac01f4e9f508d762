/**
 * A mutual block of inductive types during its check: its declaration, and the results of checking its types. If types
 * are nested, the block has auxiliary types after the declared ones (`nested.ts`).
 */
import type { Checker } from '../check/checker.ts';
import { APPLICATION, CONSTANT, type Expr, FORALL, LAMBDA, LET, PROJECTION } from '../expr.ts';
import type { Level, LevelList } from '../level.ts';
import type { PairMemory } from '../memory.ts';
import type { Name } from '../name.ts';
import { headOf } from '../spine.ts';

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
  /** The type at the block's own universe parameters. */
  readonly constant: Expr;
  readonly indices: number;
}

export interface CheckedBlock {
  readonly levelParams: readonly Name[];
  /** The universe parameters as levels. */
  readonly levels: LevelList;
  /** Local variables for the parameters, which all types and constructors share. */
  readonly parameters: readonly Expr[];
  readonly types: readonly CheckedType[];
  /** Indices of the types, by their constants. */
  readonly indices: ReadonlyMap<Expr, number>;
  /** The universe of all types of the block. */
  readonly level: Level;
  readonly occurrences: Occurrences;
}

/** Tests whether expressions mention one of the given constants. */
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
        // The structure is stored as a name only, but the type of its value mentions the constant.
        isFound = this.#names.has(terms.name(expr)) || this.in(terms.projected(expr));
    }
    this.#found.set(expr, 0, isFound ? 1 : 0);
    return isFound;
  }
}

/**
 * Returns the index of the block's type that is applied to exactly the block's parameters and to indices that do not
 * mention the block; otherwise -1.
 */
export function appliedType(checker: Checker, block: CheckedBlock, expr: Expr): number {
  const { terms } = checker;
  const at = block.indices.get(headOf(terms, expr)) ?? -1;
  const type = block.types[at];
  const given = checker.argumentsOf(expr);
  if (type === undefined || given.length !== block.parameters.length + type.indices) return -1;
  const isApplied = given.every((argument, position) =>
    position < block.parameters.length ? argument === block.parameters[position] : !block.occurrences.in(argument),
  );
  return isApplied ? at : -1;
}
