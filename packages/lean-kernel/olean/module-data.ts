/**
 * Reads a compiled module's imports, and its constants by index. The layouts are those of `Lean.ModuleData` and
 * `Lean.ConstantInfo`, in which an inductive type, its constructors and its recursors are separate constants.
 */
import type { ConstantHead, QuotientRole, RecursorRule, ReducibilityHint, Safety } from '../declaration.ts';
import { UNREAD_VALUE } from '../environment.ts';
import type { Expr, Terms } from '../expr.ts';
import type { Name } from '../name.ts';
import { Decoder } from './decode.ts';
import { ExtensionEntries } from './extension-entries.ts';
import { Damaged, type Heap } from './heap.ts';

/** Maximum constants of one module. Mathlib's largest has about ten thousand. */
const CONSTANTS_MAX = 4_000_000;
const IMPORTS_MAX = 100_000;
const NAMES_MAX = 100_000;

/**
 * Number of pointer fields of `ModuleData`: imports, names of constants, constants, names of additional constants,
 * extension entries.
 */
const MODULE_FIELDS = 5;

export type CompiledConstant = ConstantHead &
  (
    | { readonly kind: 'axiom'; readonly isUnsafe: boolean }
    | {
        readonly kind: 'definition';
        readonly value: Expr;
        readonly hint: ReducibilityHint;
        readonly safety: Safety;
      }
    | { readonly kind: 'theorem'; readonly value: Expr }
    | { readonly kind: 'opaque'; readonly value: Expr; readonly isUnsafe: boolean }
    | { readonly kind: 'quotient'; readonly role: QuotientRole }
    | {
        readonly kind: 'inductive';
        readonly parameters: number;
        readonly indices: number;
        readonly block: readonly Name[];
        readonly constructors: readonly Name[];
        readonly nested: number;
        readonly isUnsafe: boolean;
      }
    | {
        readonly kind: 'constructor';
        readonly inductive: Name;
        readonly index: number;
        readonly parameters: number;
        readonly fields: number;
      }
    | {
        readonly kind: 'recursor';
        readonly block: readonly Name[];
        readonly parameters: number;
        readonly indices: number;
        readonly motives: number;
        readonly minors: number;
        readonly rules: readonly RecursorRule[];
        readonly k: boolean;
      }
  );

const QUOTIENT_ROLES: readonly QuotientRole[] = ['type', 'ctor', 'lift', 'ind'];
/** Constructors of `ConstantInfo`. */
const AXIOM = 0;
const INDUCTIVE = 5;
/** `Lean.DefinitionSafety` in order. */
const SAFETIES: readonly Safety[] = ['unsafe', 'safe', 'partial'];
/** `Lean.ReducibilityHints`: the first two constructors have no data, the third has a 32-bit number. */
const HINT_REGULAR = 2;

/** `Lean.BinderInfo` in order. */
const BINDER_KINDS = ['explicit', 'implicit', 'strict-implicit', 'instance'] as const;
export type BinderKind = (typeof BINDER_KINDS)[number];

/** A binder as stored in its module. Terms of the kernel have neither binder names nor kinds. */
export interface CompiledBinder {
  readonly name: Name;
  readonly kind: BinderKind;
}

export class CompiledModule {
  readonly #heap: Heap;
  readonly #decoder: Decoder;
  readonly #constants: readonly number[];
  readonly #nameSlots: readonly number[];
  #names: readonly Name[] | null = null;
  readonly imports: readonly Name[];
  /** Data of the module other than its constants. */
  readonly entries: ExtensionEntries;

  /** Throws `Damaged` or `Decline`. */
  constructor(heap: Heap, terms: Terms) {
    this.#heap = heap;
    this.#decoder = new Decoder(heap, terms);
    heap.tag(heap.root, MODULE_FIELDS);
    this.entries = new ExtensionEntries(heap, this.#decoder, heap.field(heap.root, MODULE_FIELDS - 1));
    const array = (index: number, max: number): number[] => heap.array(heap.pointer(heap.field(heap.root, index)), max);
    // The first field of an import is the module; flags follow.
    this.imports = array(0, IMPORTS_MAX).map((slot) => {
      const object = heap.pointer(slot);
      heap.tag(object, 1);
      return this.#decoder.name(heap.field(object, 0));
    });
    this.#nameSlots = array(1, CONSTANTS_MAX);
    this.#constants = array(2, CONSTANTS_MAX);
    if (this.#constants.length !== this.#nameSlots.length)
      throw new Damaged('its constants and their names differ in number');
  }

  get byteLength(): number {
    return this.#heap.byteLength;
  }

  /** Names of the constants, by index. */
  get names(): readonly Name[] {
    this.#names ??= this.#nameSlots.map((slot) => this.#decoder.name(slot));
    return this.#names;
  }

  isAxiom(index: number): boolean {
    return this.#heap.tag(this.#heap.pointer(this.#constants[index]!), 1) === AXIOM;
  }

  /** Returns the binders at the head of the constant's type, outermost first. */
  binders(index: number): readonly CompiledBinder[] {
    const heap = this.#heap;
    const value = heap.pointer(heap.field(heap.pointer(this.#constants[index]!), 0));
    const head = heap.pointer(heap.field(value, 0));
    heap.tag(head, 3);
    return this.#decoder
      .binders(heap.field(head, 2))
      .map(({ name, kind }) => ({ name, kind: BINDER_KINDS[kind] ?? 'explicit' }));
  }

  /**
   * Returns the constants that a constant's type and value mention, and an inductive type's constructors, without
   * making terms.
   */
  mentioned(index: number): ReadonlySet<Name> {
    const info = this.#heap.pointer(this.#constants[index]!);
    const tag = this.#heap.tag(info, 1);
    const names = this.#decoder.mentioned(this.#heap.field(info, 0));
    const constant = tag === INDUCTIVE ? this.constant(index) : null;
    return constant?.kind === 'inductive' ? new Set([...names, ...constant.constructors]) : names;
  }

  /** If `withProof` is false, the proof of a theorem is not read (`UNREAD_VALUE`). */
  constant(index: number, withProof = true): CompiledConstant {
    const heap = this.#heap;
    const info = heap.pointer(this.#constants[index]!);
    const tag = heap.tag(info, 1);
    const value = heap.pointer(heap.field(info, 0));
    const constant = this.#read(tag, value, withProof);
    if (constant.name !== this.#decoder.name(this.#nameSlots[index]!))
      throw new Damaged('a constant has another name than the index says');
    return constant;
  }

  #read(tag: number, object: number, withProof: boolean): CompiledConstant {
    const heap = this.#heap;
    const expr = (index: number): Expr => this.#decoder.expr(heap.field(object, index));
    const names = (index: number): Name[] => this.#decoder.names(heap.field(object, index), NAMES_MAX);
    const count = (index: number): number => heap.small(heap.field(object, index));
    const shape = (fields: number, scalarBytes: number): ConstantHead => {
      heap.tag(object, fields, scalarBytes);
      return this.#head(heap.pointer(heap.field(object, 0)));
    };
    const flag = (fields: number, index: number): boolean => heap.scalar(object, fields, index) !== 0;
    // In the order of the constructors of `ConstantInfo`.
    switch (tag) {
      case AXIOM:
        return { kind: 'axiom', ...shape(1, 1), isUnsafe: flag(1, 0) };
      case 1: {
        const head = shape(4, 1);
        const safety = SAFETIES[heap.scalar(object, 4, 0)];
        if (safety === undefined) throw new Damaged(`a definition of unknown safety at byte ${object}`);
        return { kind: 'definition', ...head, value: expr(1), hint: this.#hint(heap.field(object, 2)), safety };
      }
      case 2:
        return { kind: 'theorem', ...shape(3, 0), value: withProof ? expr(1) : UNREAD_VALUE };
      case 3:
        return { kind: 'opaque', ...shape(3, 1), value: expr(1), isUnsafe: flag(3, 0) };
      case 4: {
        const head = shape(1, 1);
        const role = QUOTIENT_ROLES[heap.scalar(object, 1, 0)];
        if (role === undefined) throw new Damaged(`an unknown part of the quotient at byte ${object}`);
        return { kind: 'quotient', ...head, role };
      }
      case INDUCTIVE:
        return {
          kind: 'inductive',
          ...shape(6, 3),
          parameters: count(1),
          indices: count(2),
          block: names(3),
          constructors: names(4),
          nested: count(5),
          isUnsafe: flag(6, 1),
        };
      case 6:
        return {
          kind: 'constructor',
          ...shape(5, 1),
          inductive: this.#decoder.name(heap.field(object, 1)),
          index: count(2),
          parameters: count(3),
          fields: count(4),
        };
      case 7:
        return {
          kind: 'recursor',
          ...shape(7, 2),
          block: names(1),
          parameters: count(2),
          indices: count(3),
          motives: count(4),
          minors: count(5),
          rules: heap.list(heap.field(object, 6), NAMES_MAX).map((slot) => this.#rule(heap.pointer(slot))),
          k: flag(7, 0),
        };
      default:
        throw new Damaged(`a constant of unknown kind at byte ${object}`);
    }
  }

  #head(object: number): ConstantHead {
    const heap = this.#heap;
    heap.tag(object, 3);
    return {
      name: this.#decoder.name(heap.field(object, 0)),
      levelParams: this.#decoder.names(heap.field(object, 1), NAMES_MAX),
      type: this.#decoder.expr(heap.field(object, 2)),
    };
  }

  #hint(slot: number): ReducibilityHint {
    const heap = this.#heap;
    if (!heap.isPointer(slot)) {
      const which = heap.small(slot);
      if (which > 1) throw new Damaged(`an unknown hint at byte ${slot}`);
      return which === 0 ? 'opaque' : 'abbrev';
    }
    const object = heap.pointer(slot);
    if (heap.tag(object, 0, 4) !== HINT_REGULAR) throw new Damaged(`an unknown hint at byte ${object}`);
    return { regular: heap.scalar32(object, 0) };
  }

  #rule(object: number): RecursorRule {
    const heap = this.#heap;
    heap.tag(object, 3);
    return {
      constructor: this.#decoder.name(heap.field(object, 0)),
      fields: heap.small(heap.field(object, 1)),
      value: this.#decoder.expr(heap.field(object, 2)),
    };
  }
}
