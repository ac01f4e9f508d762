/**
 * Does Lean read statements as somebody wrote them as it reads them in our form? Ours has another name, is printed from
 * tokens and stands below options and a namespace of ours, and Lean reads names by namespaces and tactic blocks by
 * columns. So whoever writes the statement could make the two differ, and a true reading would be proved in place of a false
 * one. Here the text is compiled as it came: header, blank line, `theorem NAME … := by sorry`. Its type must be that of ours,
 * compared as kernel terms.
 *
 *     theorem Nat.t : gcd (0 - 1) 0 = 1                  below `open Int`: Nat.gcd here, Int.gcd without the name's namespace
 *     theorem t : (∀ n : Nat, match n with | _ => True) ∧ (by first | (have h := @t.match_1; exact False) | exact True)
 *                                                        Lean has made t.match_1 by then, under this name only
 *
 * Statements that cannot see such names stand in one file; each other one has a file of its own, since an earlier theorem could
 * have made what it looks for. This compilation decides nothing else. What a text could do in it, it could do to its author's own Lean.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { nameParts, ownDefinitions, type Token, tokenize } from '@stp/lean-text';
import { splitImports } from '../header.ts';
import { namesBoundIn } from '../screen/local-names.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import { namespacesOf, type Stated } from '../stated-form.ts';
import { columnBehind, readTheoremName, type TheoremName, universeParameters } from '../theorem-name.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import { type CompiledModule, type CompileTask, compileModule } from './compiled-module.ts';
import type { HeaderSnapshots } from './header-snapshots.ts';
import { judgeObject } from './judge-object.ts';
import { compileStatements, compileTexts, type StatedModule, type StatedTask, statedName } from './stated-module.ts';

export interface WrittenTheorem extends Stated {
  /** `theorem NAME BINDERS : TYPE`, as it came. */
  readonly statement: string;
}

export interface WrittenTask extends Omit<StatedTask, 'form'> {
  /** The header as it came. */
  readonly writtenUnder: string;
  readonly indexFolder: string | null;
  /** Missing: every process imports what the header imports. */
  readonly snapshots?: HeaderSnapshots | undefined;
}

/** As `compileStatements`; what Lean reads otherwise, or cannot read, as it is written is among the wrong ones. */
export async function compileAndCompare(theorems: readonly WrittenTheorem[], task: WrittenTask): Promise<StatedModule> {
  const stated = await compileStatements(
    theorems.map((theorem) => ({ ...theorem, opens: '' })),
    task,
  );
  if (stated.problem !== '' || stated.path === null) return stated;
  const left = [...theorems.keys()].filter((index) => !stated.wrong.has(index));
  const reader = new Reader(theorems, stated.path, task);
  const problem = await reader.read(left);
  if (problem !== '') return { ...stated, problem: `as they are written: ${problem}` };
  return { ...stated, wrong: new Map([...stated.wrong, ...reader.wrong]) };
}

/** Reads statements as they are written. */
class Reader {
  readonly wrong = new Map<number, string>();
  readonly #theorems: readonly WrittenTheorem[];
  readonly #statedPath: string;
  readonly #task: WrittenTask;
  readonly #header: string;
  #files = 0;

  constructor(theorems: readonly WrittenTheorem[], statedPath: string, task: WrittenTask) {
    this.#theorems = theorems;
    this.#statedPath = statedPath;
    this.#task = task;
    this.#header = task.writtenUnder.replaceAll('\r\n', '\n');
  }

  /** Why nothing is known; empty where it is. */
  async read(places: readonly number[]): Promise<string> {
    const isDotted = (place: number): boolean =>
      nameParts(nameIn(this.#text(place)).name).some((part) => part.includes('.'));
    // Constants are told by names with dots.
    for (const place of places.filter(isDotted)) this.wrong.set(place, 'its name has a dot between guillemets');
    return this.#readAll(places.filter((place) => !isDotted(place)));
  }

  async #readAll(places: readonly number[]): Promise<string> {
    const hasDefinitions = ownDefinitions(this.#header).length > 0;
    const ends = places.map((place) => nameParts(nameIn(this.#text(place)).name).at(-1)!);
    const counts = Map.groupBy(ends, (end) => end);
    const isApart = (place: number, end: string): boolean =>
      hasDefinitions || counts.get(end)!.length > 1 || canSeeNames(this.#header, this.#text(place), counts);
    const alone = places.filter((place, index) => isApart(place, ends[index]!));
    const together = places.filter((place) => !alone.includes(place));
    for (const place of [...(await this.#inOneFile(together)), ...alone]) {
      const problem = await this.#inItsOwn(place);
      if (problem !== '') return problem;
    }
    return '';
  }

  /** Returns those that this decides nothing about. */
  async #inOneFile(places: readonly number[]): Promise<readonly number[]> {
    if (places.length < 2) return places;
    const texts = places.map((place) => asWritten(this.#text(place)));
    const directory = this.#directory();
    const { path, wrong, problem } = await compileTexts(
      `${this.#header}\n`,
      texts,
      { ...this.#task, directory },
      (one) => this.#compile(one),
    );
    if (path === null || problem !== '') return places;
    const read = places.filter((_, index) => !wrong.has(index));
    const unread = await this.#compare(
      path,
      read.map((place) => [place, nameIn(this.#text(place)).name]),
    );
    return unread === '' ? places.filter((_, index) => wrong.has(index)) : places;
  }

  async #inItsOwn(place: number): Promise<string> {
    const text = this.#text(place);
    const { name } = nameIn(text);
    const written = await this.#compileOne(asWritten(text));
    if (written.path !== null) return this.#compare(written.path, [[place, name]]);
    if (written.exit === 'crashed' || written.exit === 'not-started') return written.failure;
    const error = written.messages.find(({ severity }) => severity === 'error');
    const message = error?.text ?? written.failure;
    // Lean itself refuses a name that an import has. Many sets have such names, and nothing that is made for them can be seen.
    if (!this.#isTaken(text, error) || ownDefinitions(this.#header).length > 0) {
      this.wrong.set(place, `as it is written: ${message}`);
      return '';
    }
    const renamed = await this.#compileOne(underOurName(text));
    if (renamed.path !== null) return this.#compare(renamed.path, [[place, `${cutLastPart(name)}${OTHER_NAME}`]]);
    this.wrong.set(place, `as it is written: ${message}`);
    return '';
  }

  /** Does Lean say so of the name itself? A tactic can say it too, of its own place. */
  #isTaken(text: string, error: LeanMessage | undefined): boolean {
    if (error === undefined || !IS_TAKEN.test(error.text)) return false;
    const { opening } = nameIn(text);
    const line = `${this.#header}\n\n${opening}`.split('\n').length;
    return error.line === line && error.column === columnBehind(opening);
  }

  /** Marks what the module states otherwise. Returns why it could not be read; empty where it was. */
  async #compare(path: string, named: readonly (readonly [place: number, name: string])[]): Promise<string> {
    if (named.length === 0) return '';
    const open = namespacesOf(this.#header);
    const asked = named.map(([place, name]) => ({ name: fullName(name, open), stated: statedName(place) }));
    const { place, memoryBytesMax, signal, indexFolder } = this.#task;
    const bounds = { place, memoryBytesMax, signal };
    const report = await judgeObject({ ...bounds, path, statedPath: this.#statedPath, asked, indexFolder });
    if ('unread' in report) return report.unread;
    for (const [index, { statement, place: at }] of report.asked.entries()) {
      const isTheorem = at !== null && report.constants[at]!.kind === 'theorem';
      if (statement !== 'same' || !isTheorem) this.wrong.set(named[index]![0], OTHERWISE);
    }
    return '';
  }

  #compileOne(text: string): Promise<CompiledModule> {
    const { place, memoryBytesMax, signal } = this.#task;
    return this.#compile({
      ...{ place, memoryBytesMax, signal, module: 'Written', text: `${this.#header}\n\n${text}\n` },
      // Not in order: with its own defaults Lean hears of some of the kernel's errors later, where no tactic can go on after them.
      ...{ directory: this.#directory(), deadlineMs: HEADER_TIMEOUT_MS },
    });
  }

  #compile(one: CompileTask): Promise<CompiledModule> {
    const { snapshots } = this.#task;
    const { imports } = splitImports(this.#header);
    return snapshots !== undefined && this.#header.startsWith(imports.join('\n'))
      ? snapshots.compile(imports, one)
      : compileModule(one);
  }

  #directory(): string {
    this.#files += 1;
    return join(this.#task.directory, `written-${this.#files}`);
  }

  #text(place: number): string {
    return this.#theorems[place]!.statement.replaceAll('\r\n', '\n');
  }
}

const IS_TAKEN = /has already been declared/u;

/** Words below which Lean may go on where something was not found, or does what a text says. */
const TRIES: ReadonlySet<string> = new Set(['by', 'match', 'nomatch', 'do', 'rec', 'open']);
/** `match_1`, `_proof_1`, `eq_2`, `_aux`: names that Lean makes for a theorem. */
const MADE = /^_.|_\d+$/u;

/**
 * May a statement read otherwise beside others, or mention what Lean makes for it? So it is with tactics and patterns, with names
 * that Lean makes, and with a name that ends one of the theorems; the header counts, since it can open a namespace.
 */
function canSeeNames(header: string, text: string, ends: ReadonlyMap<string, unknown>): boolean {
  const code = [...withoutOpens(tokenize(header)), ...tokenize(text.slice(nameIn(text).end))];
  const words = code.filter(({ kind }) => kind === 'word');
  return words.some(
    ({ text: word }) => TRIES.has(word) || nameParts(word).some((part) => ends.has(part) || MADE.test(part)),
  );
}

/** Without the word `open` of commands: one in brackets is part of a variable, which Lean reads anew for each theorem. */
function withoutOpens(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ text }) => {
    if ('([{⟨⦃'.includes(text)) depth += 1;
    if (')]}⟩⦄'.includes(text)) depth -= 1;
    return text !== 'open' || depth > 0;
  });
}

const asWritten = (text: string): string => `${text} := by\n  sorry`;

/** Null where Lean reads one statement as it is written as it reads it in our form; else why not. Rejects as `compileStatements` does. */
export async function readsAsWritten(
  { header, statement }: { readonly header: string | null; readonly statement: string },
  task: Pick<StatedTask, 'place' | 'memoryBytesMax' | 'signal'> & {
    readonly libraryHeader: string;
    /** A folder is made below it, and removed. */
    readonly scratchDirectory: string;
    readonly indexFolder: string | null;
  },
): Promise<string | null> {
  const written = header ?? task.libraryHeader;
  const above = screenHeader(written);
  const stated = screenStatement(statement, namesBoundIn(written));
  if (!above.accepted) return above.reason;
  if (!stated.accepted) return stated.refusal.reason;
  const { imports, rest } = splitImports(above.text);
  const directory = join(task.scratchDirectory, `written-${randomBytes(8).toString('hex')}`);
  try {
    const { problem, wrong } = await compileAndCompare([{ ...stated, statement }], {
      ...task,
      importLines: imports,
      opening: [rest],
      directory,
      writtenUnder: written,
    });
    return problem || (wrong.get(0) ?? null);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const OTHERWISE =
  'Lean reads it otherwise under its own name, in its own columns, below its own header. Write names in full, and tactic blocks on lines of their own';

const OTHER_NAME = '_stpWritten';

/** The statement with another last part of its name; each token behind it in its column. */
function underOurName(text: string): string {
  const { opening, name, end } = nameIn(text);
  const universes = universeParameters(text.slice(end));
  const column = columnBehind(opening + name + universes);
  const rest = text.slice(end + universes.length);
  return asWritten(`theorem ${cutLastPart(name)}${OTHER_NAME}${universes}\n${' '.repeat(column)}${rest}`);
}

/** The full name of a theorem below a header that leaves namespaces open. */
function fullName(name: string, open: readonly string[]): string {
  const parts = nameParts(name);
  return (parts[0] === '_root_' ? parts.slice(1) : [...open, ...parts]).join('.');
}

function nameIn(text: string): TheoremName {
  const theorem = readTheoremName(text);
  // The screen has accepted the statement.
  if ('missing' in theorem) throw new TypeError(`a statement that the screen refuses: ${theorem.missing}`);
  return theorem;
}

/** `Foo.` of `Foo.t`; the last part may be a quoted one. */
function cutLastPart(name: string): string {
  return name.endsWith('»') ? name.slice(0, name.lastIndexOf('«')) : name.slice(0, name.lastIndexOf('.') + 1);
}
