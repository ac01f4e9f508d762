/**
 * Reads the data of a compiled module other than its constants: the entries of environment extensions, such as source
 * positions of declarations, marks for `simp`, and deprecated names.
 */
import type { Name } from '../name.ts';
import type { Decoder } from './decode.ts';
import type { Heap } from './heap.ts';

/** Maximum number of environment extensions. Lean has about four hundred. */
const EXTENSIONS_MAX = 100_000;
/** Maximum number of entries of one extension. */
const ENTRIES_MAX = 16_000_000;
/** Source positions of declarations; entries (name, ranges). */
const RANGES = 'Lean.declRangeExt';
/** Projections of structures, entries (name, information). */
const PROJECTIONS = 'Lean.projectionFnInfoExt';
/** Deprecated declarations; entries (name, replacement). */
const DEPRECATED = 'Lean.Linter.deprecatedAttr';
/** Entries in source order, each global (tag 0) or in a namespace. */
const SIMP = 'Lean.Meta.simpExtension';
/** `SimpTheorem`: keys, level parameters, proof, priority, origin. */
const SIMP_FIELDS = 5;
const SIMP_PRIORITY = 3;
const SIMP_ORIGIN = 4;
const DEFAULT_PRIORITY = 1_000;

/** Position of a declaration in its source: lines from 1, columns from 0 in code points. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  /** Column after its last character. */
  readonly endColumn: number;
}

export interface SimpMark {
  readonly name: Name;
  /** `←`: rewrite from right to left. */
  readonly isReversed: boolean;
  /** `↓`: rewrite a term before its subterms. */
  readonly isEarly: boolean;
  /** Null for the default priority. */
  readonly priority: number | null;
}

export class ExtensionEntries {
  readonly #heap: Heap;
  readonly #decoder: Decoder;
  readonly #root: number;

  /** `root` is the slot of the array of (extension, entries). */
  constructor(heap: Heap, decoder: Decoder, root: number) {
    this.#heap = heap;
    this.#decoder = decoder;
    this.#root = root;
  }

  /** Returns the number of entries of each extension, omitting extensions without entries. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { name, entries } of this.#extensions())
      if (entries.length > 0) counts.set(name, (counts.get(name) ?? 0) + entries.length);
    return counts;
  }

  /**
   * Returns hand-written declarations with their source ranges. Generated constants and fields of structures have none.
   */
  sourceRanges(): ReadonlyMap<Name, SourceRange> {
    const heap = this.#heap;
    const ranges = new Map<Name, SourceRange>();
    for (const slot of this.#of(RANGES)) {
      const [declaration, both] = this.#fields(slot, 2) as [number, number];
      // The range of the whole declaration, then that of its name. Each has a start, an end, and both columns in UTF-16
      // units.
      const [whole] = this.#fields(both, 2) as [number];
      const [start, , end] = this.#fields(whole, 4) as [number, number, number];
      const [line, column] = this.#fields(start, 2).map((at) => heap.small(at)) as [number, number];
      const [endLine, endColumn] = this.#fields(end, 2).map((at) => heap.small(at)) as [number, number];
      ranges.set(this.#decoder.name(declaration), { line, column, endLine, endColumn });
    }
    for (const name of this.projections()) ranges.delete(name);
    return ranges;
  }

  /** Returns the projections of the module's structures. */
  projections(): ReadonlySet<Name> {
    return this.#names(PROJECTIONS);
  }

  deprecated(): ReadonlySet<Name> {
    return this.#names(DEPRECATED);
  }

  /** Returns theorems marked for `simp` globally, in source order. Marks of named simp sets are not included. */
  simpMarks(): readonly SimpMark[] {
    const heap = this.#heap;
    const marks: SimpMark[] = [];
    for (const slot of this.#of(SIMP)) {
      const entry = this.#global(slot);
      // Skip entries that are not theorems: a definition to unfold has another tag.
      if (entry === null || heap.anyTag(entry) !== 0) continue;
      heap.tag(entry, 1);
      const object = heap.pointer(heap.field(entry, 0));
      // Another Lean version may store more data per theorem; then its marks are not read.
      if (!heap.isConstructor(object) || heap.fieldCount(object) !== SIMP_FIELDS) continue;
      const theorem = this.#fields(heap.field(entry, 0), SIMP_FIELDS);
      const origin = this.#declared(theorem[SIMP_ORIGIN]!);
      const priority = heap.small(theorem[SIMP_PRIORITY]!);
      if (origin !== null) marks.push({ ...origin, priority: priority === DEFAULT_PRIORITY ? null : priority });
    }
    return marks;
  }

  /** Returns an entry that applies outside any namespace, or null. */
  #global(slot: number): number | null {
    const heap = this.#heap;
    const object = heap.pointer(slot);
    if (heap.anyTag(object) !== 0) return null;
    heap.tag(object, 1);
    return heap.pointer(heap.field(object, 0));
  }

  /** Reads `Origin.decl NAME (post) (inv)`; null for another origin. */
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

  /** Returns the slots of the fields of the object in a slot. */
  #fields(slot: number, count: number): number[] {
    const object = this.#heap.pointer(slot);
    this.#heap.tag(object, count);
    return Array.from({ length: count }, (_, index) => this.#heap.field(object, index));
  }
}
