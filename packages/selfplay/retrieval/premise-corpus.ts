/**
 * The premises of a library by file, and which of them a proof may use: those of files that its own file imports,
 * directly or indirectly, and those that end before the theorem in its own file (arXiv 2306.15626, §4).
 */

/** A line and a column of a file. */
export type Position = readonly [line: number, column: number];

export interface Premise {
  readonly name: string;
  /** Index of its file, in the order of the files. */
  readonly file: number;
  readonly start: Position;
  readonly end: Position;
}

/** Returns whether a proof may use the premise with this number. */
export type Accessible = (premise: number) => boolean;

interface CorpusFile {
  readonly path: string;
  /** Number of its first premise; the file's premises are numbered consecutively. */
  readonly first: number;
  count: number;
  /** One bit for each earlier file: does this file import it, directly or indirectly? */
  readonly reach: Uint32Array;
}

const WORD_BITS = 32;

export class PremiseCorpus {
  /** Premises in the order of their numbers. */
  readonly premises: Premise[] = [];
  readonly #files: CorpusFile[] = [];
  readonly #byPath = new Map<string, number>();

  get files(): number {
    return this.#files.length;
  }

  /**
   * Adds a file after the files that it imports.
   *
   * @returns the imports that are not in the corpus; the file is added only if there are none
   */
  add(
    path: string,
    imports: readonly string[],
    premises: readonly Omit<Premise, 'file'>[],
  ): { readonly missing: readonly string[] } {
    const missing = imports.filter((one) => !this.#byPath.has(one));
    if (missing.length > 0 || this.#byPath.has(path)) return { missing: missing.length > 0 ? missing : [path] };
    const file = this.#files.length;
    const reach = new Uint32Array(Math.ceil(file / WORD_BITS));
    for (const one of imports) {
      const at = this.#byPath.get(one)!;
      reach[Math.floor(at / WORD_BITS)]! |= 1 << (at % WORD_BITS);
      for (const [word, bits] of this.#files[at]!.reach.entries()) reach[word]! |= bits;
    }
    this.#files.push({ path, first: this.premises.length, count: premises.length, reach });
    this.#byPath.set(path, file);
    for (const premise of premises) this.premises.push({ ...premise, file });
    return { missing: [] };
  }

  /** Returns a test for the premises that a proof at a position of a file may use; null for an unknown file. */
  accessible(path: string, at: Position): Accessible | null {
    const file = this.#byPath.get(path);
    if (file === undefined) return null;
    const { reach } = this.#files[file]!;
    return (number) => {
      const { file: of, end } = this.premises[number]!;
      if (of === file) return !isBefore(at, end);
      return of < file && (reach[Math.floor(of / WORD_BITS)]! & (1 << (of % WORD_BITS))) !== 0;
    };
  }

  /** Returns the number of the premise that contains a position; null if there is none. */
  locate(path: string, at: Position): number | null {
    const file = this.#byPath.get(path);
    if (file === undefined) return null;
    const { first, count } = this.#files[file]!;
    for (let number = first; number < first + count; number++) {
      const { start, end } = this.premises[number]!;
      if (!isBefore(at, start) && !isBefore(end, at)) return number;
    }
    return null;
  }
}

function isBefore(left: Position, right: Position): boolean {
  return left[0] < right[0] || (left[0] === right[0] && left[1] < right[1]);
}
