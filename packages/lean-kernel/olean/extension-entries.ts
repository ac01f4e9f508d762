/**
 * Reads what a compiled module tells the parts of Lean beside its constants: the entries of environment extensions, such
 * as the places of declarations in their source, marks for `simp`, and deprecated names.
 */
import type { Name } from '../name.ts';
import type { Decoder } from './decode.ts';
import type { Heap } from './heap.ts';

/** Environment extensions; Lean has some four hundred. */
const EXTENSIONS_MAX = 100_000;
/** Entries of one extension. */
const ENTRIES_MAX = 16_000_000;
/** Where declarations stand in their source, entries (name, ranges). */
const RANGES = 'Lean.declRangeExt';
/** Projections of structures, entries (name, information). */
const PROJECTIONS = 'Lean.projectionFnInfoExt';
/** Entries (name, replacement). */
const DEPRECATED = 'Lean.Linter.deprecatedAttr';
/** Entries in the order of the source, each global (tag 0) or of a namespace. */
const SIMP = 'Lean.Meta.simpExtension';
/** `SimpTheorem`: keys, level parameters, proof, priority, origin. */
const SIMP_FIELDS = 5;
const SIMP_PRIORITY = 3;
const SIMP_ORIGIN = 4;
const DEFAULT_PRIORITY = 1_000;

/** Place of a declaration in its source: lines from 1, columns from 0 in characters. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  /** Index behind its last character. */
  readonly endColumn: number;
}

/** A theorem's mark for `simp`. */
export interface SimpMark {
  readonly name: Name;
  /** `←`: from right to left. */
  readonly isReversed: boolean;
  /** `↓`: before the parts of a term. */
  readonly isEarly: boolean;
  /** Null where it is the usual one. */
  readonly priority: number | null;
}

export class ExtensionEntries {
  readonly #heap: Heap;
  readonly #decoder: Decoder;
  readonly #root: number;

  /** `root`: slot of the array of (extension, entries). */
  constructor(heap: Heap, decoder: Decoder, root: number) {
    this.#heap = heap;
    this.#decoder = decoder;
    this.#root = root;
  }

  /** How many entries the module gives each extension, those without any left out. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { name, entries } of this.#extensions())
      if (entries.length > 0) counts.set(name, (counts.get(name) ?? 0) + entries.length);
    return counts;
  }

  /** Hand-written declarations with their places. Generated constants have no place, nor have a structure's fields. */
  sourceRanges(): ReadonlyMap<Name, SourceRange> {
    const heap = this.#heap;
    const ranges = new Map<Name, SourceRange>();
    for (const slot of this.#of(RANGES)) {
      const [declaration, both] = this.#fields(slot, 2) as [number, number];
      // The whole declaration, and its name; each from a position to a position, with columns in UTF-16 beside them.
      const [whole] = this.#fields(both, 2) as [number];
      const [start, , end] = this.#fields(whole, 4) as [number, number, number];
      const [line, column] = this.#fields(start, 2).map((at) => heap.small(at)) as [number, number];
      const [endLine, endColumn] = this.#fields(end, 2).map((at) => heap.small(at)) as [number, number];
      ranges.set(this.#decoder.name(declaration), { line, column, endLine, endColumn });
    }
    for (const name of this.projections()) ranges.delete(name);
    return ranges;
  }

  /** Projections of the module's structures. */
  projections(): ReadonlySet<Name> {
    return this.#names(PROJECTIONS);
  }

  /** Declarations that people should not use any more. */
  deprecated(): ReadonlySet<Name> {
    return this.#names(DEPRECATED);
  }

  /** Theorems marked for `simp` everywhere, in the order of the source. Marks of simp sets with a name are not among them. */
  simpMarks(): readonly SimpMark[] {
    const heap = this.#heap;
    const marks: SimpMark[] = [];
    for (const slot of this.#of(SIMP)) {
      const entry = this.#global(slot);
      // A theorem; a definition to unfold has another tag.
      if (entry === null || heap.anyTag(entry) !== 0) continue;
      heap.tag(entry, 1);
      const object = heap.pointer(heap.field(entry, 0));
      // Another Lean may know more of a theorem: its marks are then not read.
      if (!heap.isConstructor(object) || heap.fieldCount(object) !== SIMP_FIELDS) continue;
      const theorem = this.#fields(heap.field(entry, 0), SIMP_FIELDS);
      const origin = this.#declared(theorem[SIMP_ORIGIN]!);
      const priority = heap.small(theorem[SIMP_PRIORITY]!);
      if (origin !== null) marks.push({ ...origin, priority: priority === DEFAULT_PRIORITY ? null : priority });
    }
    return marks;
  }

  /** An entry that holds outside of any namespace. */
  #global(slot: number): number | null {
    const heap = this.#heap;
    const object = heap.pointer(slot);
    if (heap.anyTag(object) !== 0) return null;
    heap.tag(object, 1);
    return heap.pointer(heap.field(object, 0));
  }

  /** `Origin.decl NAME (post) (inv)`; null for what is no declaration. */
  #declared(slot: number): Pick<SimpMark, 'name' | 'isReversed' | 'isEarly'> | null {
    const heap = this.#heap;
    const object = heap.pointer(slot);
    if (heap.anyTag(object) !== 0) return null;
    heap.tag(object, 1, 2);
    return {
      name: this.#decoder.name(heap.field(object, 0)),
      isEarly: heap.scalar(object, 1, 0) === 0,
      isReversed: heap.scalar(object, 1, 1) !== 0,
    };
  }

  #names(extension: string): ReadonlySet<Name> {
    return new Set(this.#of(extension).map((slot) => this.#decoder.name(this.#fields(slot, 2)[0]!)));
  }

  #of(extension: string): readonly number[] {
    return [...this.#extensions()].flatMap(({ name, entries }) => (name === extension ? entries : []));
  }

  *#extensions(): Generator<{ readonly name: string; readonly entries: readonly number[] }> {
    const heap = this.#heap;
    for (const slot of heap.array(heap.pointer(this.#root), EXTENSIONS_MAX)) {
      const [name, entries] = this.#fields(slot, 2) as [number, number];
      yield { name: this.#decoder.printed(name), entries: heap.array(heap.pointer(entries), ENTRIES_MAX) };
    }
  }

  /** Slots of the fields of the object in a slot. */
  #fields(slot: number, count: number): number[] {
    const object = this.#heap.pointer(slot);
    this.#heap.tag(object, count);
    return Array.from({ length: count }, (_, index) => this.#heap.field(object, index));
  }
}
