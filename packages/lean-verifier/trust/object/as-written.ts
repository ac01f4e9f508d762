/**
 * Does Lean read statements as somebody wrote them as it reads them in our form? Ours has another name, is printed from
 * tokens and stands below options and a namespace of ours, and Lean reads names by namespaces and tactic blocks by
 * columns. So whoever writes the statement could make the two differ, and a true reading would be proved in place of a false
 * one. Here the text is compiled as it came: header, blank line, `theorem NAME … := by sorry`. Where the printed text is the text
 * itself, that is our record of the statement. Else the text is compiled apart, and its type must be that of our form, compared as
 * kernel terms.
 *
 *     theorem Nat.t : gcd (0 - 1) 0 = 1                  below `open Int`: Nat.gcd here, Int.gcd without the name's namespace
 *     theorem t : (∀ n : Nat, match n with | _ => True) ∧ (by first | (have h := @t.match_1; exact False) | exact True)
 *                                                        Lean has made t.match_1 by then, under this name only
 *
 * Lean compiles it with its own defaults, not in order: it hears of some of the kernel's errors late, where no tactic can go on after
 * them. Statements that cannot see such names stand in one file; each other one has a file of its own, since an earlier theorem could
 * have made what it looks for. A text that is not printed as it came decides nothing else: what it could do in its process, it could
 * do to its author's own Lean.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { nameParts, tokenize } from '@stp/lean-text';
import type { ReadyProcesses } from '../../runtime/process/ready-processes.ts';
import { splitImports } from '../header.ts';
import { namesBoundIn } from '../screen/local-names.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import { namespacesOf, type Stated, statedLines } from '../stated-form.ts';
import { columnBehind, cutLastPart, readTheoremName, type TheoremName, universeParameters } from '../theorem-name.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import { type CompiledModule, type CompileTask, compileModule } from './compiled-module.ts';
import type { HeaderSnapshots } from './header-snapshots.ts';
import { judgeObject } from './judge-object.ts';
import { canSeeNames, withoutOpens } from './seen-names.ts';
import { compileStatements, compileTexts, type StatedModule, type StatedTask, statedName } from './stated-module.ts';

export interface WrittenTheorem extends Stated {
  /** `theorem NAME BINDERS : TYPE`, as it came. */
  readonly statement: string;
}

export interface WrittenTask extends Omit<StatedTask, 'form'> {
  /** The header without its imports, as it is printed, then options of ours. */
  readonly opening: readonly string[];
  /** The header as it came. */
  readonly writtenUnder: string;
  readonly indexFolder: string | null;
  /** Missing: every process imports what the header imports. */
  readonly snapshots?: HeaderSnapshots | undefined;
  /** Processes started ahead; missing: each is started when its text has come. */
  readonly ready?: ReadyProcesses | undefined;
}

/** Our record of statements, whose constants have the names in `names`, by the places in the list. */
export interface ComparedModule extends StatedModule {
  readonly names: readonly string[];
}

/** As `compileStatements`; what Lean reads otherwise, or cannot read, as it is written is among the wrong ones. */
export const compileAndCompare = (theorems: readonly WrittenTheorem[], task: WrittenTask): Promise<ComparedModule> =>
  new Reader(theorems, task).read('the text where it is printed as it came');

/** A statement as it came, with line feeds, and its name. */
interface Written extends TheoremName {
  /** In the list of statements. */
  readonly place: number;
  readonly text: string;
}

function writtenAt(place: number, statement: string): Written {
  const text = statement.replaceAll('\r\n', '\n');
  const theorem = readTheoremName(text);
  // The screen has accepted the statement.
  if ('missing' in theorem) throw new TypeError(`a statement that the screen refuses: ${theorem.missing}`);
  return { ...theorem, place, text };
}

/** Reads statements as they are written. */
class Reader {
  readonly #wrong = new Map<number, string>();
  readonly #theorems: readonly WrittenTheorem[];
  readonly #task: WrittenTask;
  readonly #header: string;
  readonly #imports: readonly string[];
  readonly #isPrinted: boolean;
  readonly #hasDefinitions: boolean;
  #statedPath = '';
  #names: readonly string[] = [];
  #files = 0;

  constructor(theorems: readonly WrittenTheorem[], task: WrittenTask) {
    this.#theorems = theorems;
    this.#task = task;
    this.#header = task.writtenUnder.replaceAll('\r\n', '\n');
    const { imports, rest } = splitImports(this.#header);
    this.#imports = imports;
    this.#isPrinted = imports.join('\n') === task.importLines.join('\n') && rest === task.opening[0];
    this.#hasDefinitions = tokenize(this.#header).some(({ text }) => text === 'def' || text === 'abbrev');
  }

  /**
   * The record is in our form. Where the printed text is the text itself, another form says nothing new: with the first
   * argument such statements stand in the record as they are written.
   */
  async read(form: 'the text where it is printed as it came' | 'our form'): Promise<ComparedModule> {
    const all = this.#theorems.map(({ statement }, place) => writtenAt(place, statement));
    const { dotted = [], named = [] } = Object.groupBy(all, ({ name }) =>
      nameParts(name).some((part) => part.includes('.')) ? 'dotted' : 'named',
    );
    // Constants are told by names with dots.
    for (const { place } of dotted) this.#wrong.set(place, 'its name has a dot between guillemets');
    const { alone = [], together = [] } = this.#parted(named);
    const asTheyAre = form === 'our form' ? [] : (named.length === 1 ? named : together).filter(this.#isAsPrinted);
    let stated = await this.#state(named, asTheyAre);
    const taken = asTheyAre.filter(({ place }) => stated.wrong.has(place));
    if (taken.length > 0)
      stated = await this.#state(
        named,
        asTheyAre.filter((one) => !taken.includes(one)),
      );
    for (const [place, why] of stated.wrong) this.#wrong.set(place, why);
    if (stated.problem === '' && stated.path !== null) {
      this.#statedPath = stated.path;
      const isLeft = (one: Written): boolean =>
        !this.#wrong.has(one.place) && (taken.includes(one) || !asTheyAre.includes(one));
      const shared = await this.#inOneFile(together.filter(isLeft));
      for (const one of [...shared, ...alone.filter(isLeft)]) {
        const problem = await this.#inItsOwn(one);
        if (problem !== '') return { ...stated, names: this.#names, problem: `as they are written: ${problem}` };
      }
    }
    return { ...stated, names: this.#names, wrong: this.#wrong };
  }

  #parted(named: readonly Written[]): { alone?: Written[]; together?: Written[] } {
    const byEnd = Map.groupBy(named, ({ name }) => nameParts(name).at(-1)!);
    const twins = new Set([...byEnd.values()].filter(({ length }) => length > 1).flat());
    return Object.groupBy(named, (one) => (twins.has(one) || this.#seesNames(one, byEnd) ? 'alone' : 'together'));
  }

  /** May it look at what Lean makes for one of the theorems with these last parts of names? */
  #seesNames({ text, end }: Written, ends: ReadonlyMap<string, unknown>): boolean {
    return (
      this.#hasDefinitions ||
      canSeeNames(withoutOpens(tokenize(this.#header)), ends) ||
      canSeeNames(tokenize(text.slice(end)), ends)
    );
  }

  readonly #isAsPrinted = ({ place, text, end }: Written): boolean =>
    this.#isPrinted && text.slice(end).trimEnd() === this.#theorems[place]!.signature;

  /** The module of our record, in which some stand as they are written; these first. */
  async #state(named: readonly Written[], asTheyAre: readonly Written[]): Promise<StatedModule> {
    const [, ...options] = this.#task.opening;
    const others = named.filter((one) => !asTheyAre.includes(one));
    const order = [...asTheyAre, ...others];
    const open = namespacesOf(this.#header);
    const names = new Map([
      ...asTheyAre.map(({ place, name }) => [place, fullName(name, open)] as const),
      ...others.map(({ place }, index) => [place, statedName(index)] as const),
    ]);
    this.#names = this.#theorems.map((_, place) => names.get(place) ?? '');
    const ours = others.map(({ place }) => this.#theorems[place]!);
    const stated =
      asTheyAre.length === 0
        ? await compileStatements(
            ours.map((theorem) => ({ ...theorem, opens: '' })),
            this.#task,
          )
        : await compileTexts(
            `${this.#header}\n`,
            [
              ...asTheyAre.map(({ text }) => asWritten(text)),
              ...ours.map((theorem, index) =>
                ['section', ...options, ...statedLines(statedName(index), theorem, this.#header), 'end'].join('\n'),
              ),
            ],
            this.#task,
            (one) => compileModule({ ...one, inOrder: false, ready: this.#task.ready }),
          );
    return { ...stated, wrong: new Map([...stated.wrong].map(([at, why]) => [order[at]!.place, why])) };
  }

  /** Returns those that this decides nothing about. */
  async #inOneFile(theorems: readonly Written[]): Promise<readonly Written[]> {
    if (theorems.length < 2) return theorems;
    const texts = theorems.map(({ text }) => asWritten(text));
    const task = { ...this.#task, directory: this.#directory() };
    const compile = (one: CompileTask): Promise<CompiledModule> => this.#compile({ ...one, inOrder: false });
    const { path, wrong, problem } = await compileTexts(`${this.#header}\n`, texts, task, compile);
    if (path === null || problem !== '') return theorems;
    const unread = await this.#compare(
      path,
      theorems.filter((_, index) => !wrong.has(index)),
    );
    return unread === '' ? theorems.filter((_, index) => wrong.has(index)) : theorems;
  }

  async #inItsOwn(theorem: Written): Promise<string> {
    const { place, text, name } = theorem;
    const written = await this.#compileOne(asWritten(text));
    if (written.path !== null) return this.#compare(written.path, [theorem]);
    if (written.exit === 'crashed' || written.exit === 'not-started') return written.failure;
    const error = written.messages.find(({ severity }) => severity === 'error');
    // Lean itself refuses a name that an import has. Many sets have such names: where nothing can tell, it is read under another one.
    if (this.#isTaken(theorem, error) && !this.#seesNames(theorem, new Map([[nameParts(name).at(-1)!, null]]))) {
      const renamed = await this.#compileOne(underOurName(theorem));
      if (renamed.path !== null)
        return this.#compare(renamed.path, [{ place, name: `${cutLastPart(name)}${OTHER_NAME}` }]);
    }
    this.#wrong.set(place, `as it is written: ${error?.text ?? written.failure}`);
    return '';
  }

  /** Does Lean say so of the name itself? A tactic can say it too, of its own place. */
  #isTaken({ opening }: Written, error: LeanMessage | undefined): boolean {
    if (error === undefined || !IS_TAKEN.test(error.text)) return false;
    const line = `${this.#header}\n\n${opening}`.split('\n').length;
    return error.line === line && error.column === columnBehind(opening);
  }

  /** Marks what the module states otherwise. Returns why it could not be read; empty where it was. */
  async #compare(path: string, theorems: readonly Pick<Written, 'place' | 'name'>[]): Promise<string> {
    if (theorems.length === 0) return '';
    const open = namespacesOf(this.#header);
    const asked = theorems.map(({ place, name }) => ({ name: fullName(name, open), stated: this.#names[place]! }));
    const { place, memoryBytesMax, signal, indexFolder } = this.#task;
    const bounds = { place, memoryBytesMax, signal };
    const report = await judgeObject({ ...bounds, path, statedPath: this.#statedPath, asked, indexFolder });
    if ('unread' in report) return report.unread;
    for (const [index, { statement, place: at }] of report.asked.entries()) {
      const isTheorem = at !== null && report.constants[at]!.kind === 'theorem';
      if (statement !== 'same' || !isTheorem) this.#wrong.set(theorems[index]!.place, OTHERWISE);
    }
    return '';
  }

  #compileOne(text: string): Promise<CompiledModule> {
    const { place, memoryBytesMax, signal } = this.#task;
    return this.#compile({
      ready: this.#task.ready,
      ...{ place, memoryBytesMax, signal, module: 'Written', text: `${this.#header}\n\n${text}\n` },
      directory: this.#directory(),
      deadlineMs: HEADER_TIMEOUT_MS,
    });
  }

  #compile(one: CompileTask): Promise<CompiledModule> {
    const { snapshots } = this.#task;
    return snapshots !== undefined && this.#header.startsWith(this.#imports.join('\n'))
      ? snapshots.compile(this.#imports, one)
      : compileModule(one);
  }

  #directory(): string {
    this.#files += 1;
    return join(this.#task.directory, `written-${this.#files}`);
  }
}

const IS_TAKEN = /has already been declared/u;

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
    const own = { importLines: imports, opening: [rest], directory, writtenUnder: written };
    const { problem, wrong } = await new Reader([{ ...stated, statement }], { ...task, ...own }).read('our form');
    return problem || (wrong.get(0) ?? null);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const OTHERWISE =
  'Lean reads it otherwise under its own name, in its own columns, below its own header. Write names in full, and tactic blocks on lines of their own';

const OTHER_NAME = '_stpWritten';

/** The statement with another last part of its name; each token behind it in its column. */
function underOurName({ text, opening, name, end }: Written): string {
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
