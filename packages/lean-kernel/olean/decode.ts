/**
 * Makes terms of the kernel from names, levels and expressions of a compiled module. Objects are shared in the file,
 * and each is read once. Recursion does not grow with the nesting of the input. An object that contains itself is
 * refused.
 */
import type { Expr, Terms } from '../expr.ts';
import type { Level } from '../level.ts';
import { ANONYMOUS, type Name } from '../name.ts';
import { type LiteralConstants, literalConstants } from '../special/literal-constants.ts';
import { Damaged, type Heap } from './heap.ts';

/** Maximum 64-bit words of a number literal: five million digits, as for exports. */
const LIMBS_MAX = 260_000;
const LEVELS_MAX = 10_000;

/** Constructors `Name.str` and `Name.num`: two fields and the hash. */
const NAME_TEXT = 1;
const NAME_NUMBER = 2;
const HASH_BYTES = 8;
/** Scalars of a binder: data that Lean caches for the expression, then the binder's kind. */
const BINDER_BYTES = 9;

/** Constructors of `Lean.Level`. */
const LEVEL = { zero: 0, successor: 1, maximum: 2, impredicativeMaximum: 3, parameter: 4 } as const;
/** Constructors of `Lean.Expr`. */
const EXPR = {
  bound: 0,
  sort: 3,
  constant: 4,
  application: 5,
  lambda: 6,
  forall: 7,
  let: 8,
  literal: 9,
  annotated: 10,
  projection: 11,
} as const;

/** Constructors of `Lean.Literal`. */
const LITERAL_NUMBER = 0;
const LITERAL_TEXT = 1;

export class Decoder {
  readonly #heap: Heap;
  readonly #terms: Terms;
  /** Includes both functions that may make strings, because the environment determines which one does. */
  readonly #literals: LiteralConstants;
  readonly #names = new Map<number, Name>();
  readonly #levels = new Map<number, Level>();
  readonly #exprs = new Map<number, Expr>();

  constructor(heap: Heap, terms: Terms) {
    this.#heap = heap;
    this.#terms = terms;
    this.#literals = literalConstants(terms.names, () => null);
  }

  /** Returns the name in a slot. The anonymous name is a small number. */
  name(slot: number): Name {
    const heap = this.#heap;
    if (!heap.isPointer(slot)) return ANONYMOUS;
    return this.#fold(
      heap.pointer(slot),
      this.#names,
      (object) => {
        heap.tag(object, 2, HASH_BYTES);
        const prefix = heap.field(object, 0);
        return heap.isPointer(prefix) ? [heap.pointer(prefix)] : [];
      },
      (object) => this.#makeName(object),
    );
  }

  names(slot: number, lengthMax: number): Name[] {
    return this.#heap.list(slot, lengthMax).map((at) => this.name(at));
  }

  /** Returns the level in a slot. Zero may be a small number. */
  level(slot: number): Level {
    const heap = this.#heap;
    if (this.#isZero(slot)) return this.#terms.levels.zero;
    return this.#fold(
      heap.pointer(slot),
      this.#levels,
      (object) => {
        const fields = heap.fieldCount(object);
        const tag = heap.tag(object, fields);
        const isCompound =
          (tag === LEVEL.successor && fields === 1) ||
          ((tag === LEVEL.maximum || tag === LEVEL.impredicativeMaximum) && fields === 2);
        if (isCompound)
          return Array.from({ length: fields }, (_, index) => heap.field(object, index))
            .filter((part) => !this.#isZero(part))
            .map((part) => heap.pointer(part));
        if ((tag === LEVEL.zero && fields === 0) || (tag === LEVEL.parameter && fields === 1)) return [];
        throw new Damaged(`no universe level at byte ${object}`);
      },
      (object) => this.#makeLevel(object),
    );
  }

  printed(slot: number): string {
    return this.#terms.names.print(this.name(slot));
  }

  /**
   * Returns the names of all constants in the expressions below an object, without making the expressions. A literal
   * includes the constants that it stands for.
   */
  mentioned(slot: number): ReadonlySet<Name> {
    const heap = this.#heap;
    const names = new Set<Name>();
    const addAll = (all: readonly Name[]): void => {
      for (const name of all) names.add(name);
    };
    const seen = new Set<number>();
    const waiting = [slot];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (!heap.isPointer(at)) continue;
      const object = heap.pointer(at);
      if (seen.has(object)) continue;
      seen.add(object);
      if (!heap.isConstructor(object)) continue;
      const fields = heap.fieldCount(object);
      const tag = heap.tag(object, fields);
      // Constants and projections begin with a name, and no other object that contains expressions has their layout.
      const named = (tag === EXPR.constant && fields === 2) || (tag === EXPR.projection && fields === 3);
      if (named && this.#isName(heap.field(object, 0))) names.add(this.name(heap.field(object, 0)));
      if (tag === EXPR.literal && fields === 1 && heap.isPointer(heap.field(object, 0)))
        addAll(this.#isText(heap.pointer(heap.field(object, 0))) ? this.#literals.string : this.#literals.natural);
      for (let index = 0; index < fields; index++) waiting.push(heap.field(object, index));
    }
    return names;
  }

  /** Whether the object of a literal contains a text. */
  #isText(object: number): boolean {
    return this.#heap.isConstructor(object) && this.#heap.anyTag(object) === LITERAL_TEXT;
  }

  #isName(slot: number): boolean {
    const heap = this.#heap;
    if (!heap.isPointer(slot)) return false;
    const object = heap.pointer(slot);
    return heap.isConstructor(object) && heap.fieldCount(object) === 2 && heap.anyTag(object) <= NAME_NUMBER;
  }

  /** Returns the binders at the head of the type in a slot, with the number of their kind. */
  binders(slot: number): { readonly name: Name; readonly kind: number }[] {
    const heap = this.#heap;
    const found: { name: Name; kind: number }[] = [];
    for (let object = heap.pointer(slot); ; ) {
      const tag = heap.anyTag(object);
      if (tag === EXPR.annotated) {
        heap.tag(object, 2);
        object = heap.pointer(heap.field(object, 1));
      } else if (tag === EXPR.forall) {
        heap.tag(object, 3, BINDER_BYTES);
        found.push({ name: this.name(heap.field(object, 0)), kind: heap.scalar(object, 3, BINDER_BYTES - 1) });
        object = heap.pointer(heap.field(object, 2));
      } else return found;
    }
  }

  expr(slot: number): Expr {
    return this.#fold(
      this.#heap.pointer(slot),
      this.#exprs,
      (object) => this.#parts(object),
      (object) => this.#makeExpr(object),
    );
  }

  /** Computes the value of an object from those of its parts. `parts` verifies the object's layout. */
  #fold<Made>(
    root: number,
    made: Map<number, Made>,
    parts: (object: number) => number[],
    make: (object: number) => Made,
  ): Made {
    const known = made.get(root);
    if (known !== undefined) return known;
    const waiting = [root];
    /** Objects whose parts are being read: exactly those that contain the last one. */
    const open = new Set<number>();
    for (let object = waiting.at(-1); object !== undefined; object = waiting.at(-1)) {
      if (!made.has(object)) {
        if (!open.has(object)) {
          open.add(object);
          let isReady = true;
          for (const part of parts(object)) {
            if (made.has(part)) continue;
            if (open.has(part)) throw new Damaged(`the object at byte ${part} contains itself`);
            waiting.push(part);
            isReady = false;
          }
          if (!isReady) continue;
        }
        made.set(object, make(object));
        open.delete(object);
      }
      waiting.pop();
    }
    return made.get(root)!;
  }

  #makeName(object: number): Name {
    const heap = this.#heap;
    const prefix = this.name(heap.field(object, 0));
    const last = heap.field(object, 1);
    const tag = heap.anyTag(object);
    if (tag === NAME_TEXT) return this.#terms.names.text(prefix, heap.string(last));
    if (tag === NAME_NUMBER) return this.#terms.names.number(prefix, heap.natural(last, 1));
    throw new Damaged(`no name at byte ${object}`);
  }

  #makeLevel(object: number): Level {
    const heap = this.#heap;
    const { levels } = this.#terms;
    switch (heap.anyTag(object)) {
      case LEVEL.zero:
        return levels.zero;
      case LEVEL.successor:
        return levels.successor(this.#levelAt(object, 0));
      case LEVEL.maximum:
        return levels.maximum(this.#levelAt(object, 0), this.#levelAt(object, 1));
      case LEVEL.impredicativeMaximum:
        return levels.impredicativeMaximum(this.#levelAt(object, 0), this.#levelAt(object, 1));
      default:
        return levels.parameter(this.name(heap.field(object, 0)));
    }
  }

  #levelAt(object: number, index: number): Level {
    const slot = this.#heap.field(object, index);
    return this.#isZero(slot) ? this.#terms.levels.zero : this.#levels.get(this.#heap.pointer(slot))!;
  }

  #isZero(slot: number): boolean {
    return !this.#heap.isPointer(slot) && this.#heap.small(slot) === 0;
  }

  #parts(object: number): number[] {
    const heap = this.#heap;
    const at = (index: number): number => heap.pointer(heap.field(object, index));
    switch (heap.anyTag(object)) {
      case EXPR.bound:
      case EXPR.sort:
      case EXPR.literal:
        heap.tag(object, 1);
        return [];
      case EXPR.constant:
        heap.tag(object, 2);
        return [];
      case EXPR.application:
        heap.tag(object, 2);
        return [at(0), at(1)];
      case EXPR.lambda:
      case EXPR.forall:
        heap.tag(object, 3);
        return [at(1), at(2)];
      case EXPR.let:
        heap.tag(object, 4);
        return [at(1), at(2), at(3)];
      case EXPR.annotated:
        heap.tag(object, 2);
        return [at(1)];
      case EXPR.projection:
        heap.tag(object, 3);
        return [at(2)];
      default:
        // Compiled modules do not contain free variables or metavariables.
        throw new Damaged(`no closed expression at byte ${object}`);
    }
  }

  #makeExpr(object: number): Expr {
    const heap = this.#heap;
    const terms = this.#terms;
    const slot = (index: number): number => heap.field(object, index);
    const part = (index: number): Expr => this.#exprs.get(heap.pointer(slot(index)))!;
    switch (heap.anyTag(object)) {
      case EXPR.bound:
        return terms.bound(heap.small(slot(0)));
      case EXPR.sort:
        return terms.sort(this.level(slot(0)));
      case EXPR.constant: {
        const list = heap.list(slot(1), LEVELS_MAX).map((at) => this.level(at));
        return terms.constant(this.name(slot(0)), terms.levels.list(list));
      }
      case EXPR.application:
        return terms.application(part(0), part(1));
      case EXPR.lambda:
        return terms.lambda(part(1), part(2));
      case EXPR.forall:
        return terms.forall(part(1), part(2));
      case EXPR.let:
        return terms.let(part(1), part(2), part(3));
      case EXPR.literal:
        return this.#makeLiteral(heap.pointer(slot(0)));
      case EXPR.annotated:
        return part(1);
      default:
        return terms.projection(this.name(slot(0)), heap.small(slot(1)), part(2));
    }
  }

  #makeLiteral(object: number): Expr {
    const heap = this.#heap;
    const tag = heap.tag(object, 1);
    if (tag === LITERAL_NUMBER) return this.#terms.natural(heap.natural(heap.field(object, 0), LIMBS_MAX));
    if (tag === LITERAL_TEXT) return this.#terms.string(heap.string(heap.field(object, 0)));
    throw new Damaged(`no literal at byte ${object}`);
  }
}
