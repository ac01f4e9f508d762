/**
 * Tests whether Lean reads a statement as written in the same way as in our form. Our form has another name, is printed
 * from tokens, and stands below our options and in our namespace. Lean resolves names by namespaces and reads tactic
 * blocks by columns. So the author of a statement could make the two readings differ, and a true reading would be
 * proved instead of a false one. Here the text is compiled as it came: header, blank line, `theorem NAME … := by
 * sorry`. If the printed text equals that text, it is our record of the statement. Otherwise the text is compiled
 * separately, and its type must equal that of our form, compared as kernel terms.
 *
 *     theorem Nat.t : gcd (0 - 1) 0 = 1                  below `open Int`: Nat.gcd here, Int.gcd without the name's namespace
 *     theorem t : (∀ n : Nat, match n with | _ => True) ∧ (by first | (have h := @t.match_1; exact False) | exact True)
 *                                                        Lean has made t.match_1 by then, under this name only
 *
 * Lean compiles the text with its default options, several declarations at once. So it reports some kernel
 * errors late, when no tactic can react to them. Statements that cannot see such names share a file. Every other
 * statement has a file of its own, because an earlier theorem could have made the name that it looks for. A text that
 * differs from its printed form decides nothing else: the damage that it could do in its process, it could also do to
 * its author's own Lean.
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
import { inspectModule } from './inspect-module.ts';
import { canSeeNames, withoutOpens } from './seen-names.ts';
import { compileStatements, compileTexts, type StatedModule, type StatedTask, statedName } from './stated-module.ts';

export interface WrittenTheorem extends Stated {
  /** `theorem NAME BINDERS : TYPE`, as it came. */
  readonly statement: string;
}

export interface WrittenTask extends Omit<StatedTask, 'form'> {
  /** The header without its imports, as printed, followed by our options. */
  readonly opening: readonly string[];
  /** The header as it came. */
  readonly writtenUnder: string;
  readonly indexFolder: string | null;
  /** Missing: every process imports the header's modules. */
  readonly snapshots?: HeaderSnapshots | undefined;
  /** Processes started in advance. Missing: a process starts when its text arrives. */
  readonly ready?: ReadyProcesses | undefined;
}

/** Our record of statements; `names` has their constants by index. */
export interface ComparedModule extends StatedModule {
  readonly names: readonly string[];
}

/**
 * Does the same as `compileStatements`. `wrong` includes statements that Lean reads differently, or not at all, as
 * written.
 */
export const compileAndCompare = (theorems: readonly WrittenTheorem[], task: WrittenTask): Promise<ComparedModule> =>
  new Reader(theorems, task).read('written-if-equal');

/** A statement as it came, with line feeds only, and its name. */
interface Written extends TheoremName {
  /** Index in the list of statements. */
  readonly index: number;
  readonly text: string;
}

function writtenAt(index: number, statement: string): Written {
  const text = statement.replaceAll('\r\n', '\n');
  const theorem = readTheoremName(text);
  // The screen has accepted the statement, so it has a name.
  if ('missing' in theorem) throw new TypeError(`a statement that the screen refuses: ${theorem.missing}`);
  return { ...theorem, index, text };
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
   * Compiles our record of the statements, and compares it with their texts as written. If the printed form of a text
   * equals the text itself, there is nothing to compare: `written-if-equal` then puts the text into the record.
   */
  async read(recordForm: 'written-if-equal' | 'canonical'): Promise<ComparedModule> {
    const named = this.#withoutDottedNames();
    const { alone = [], together = [] } = this.#parted(named);
    const equal = recordForm === 'canonical' ? [] : (named.length === 1 ? named : together).filter(this.#isAsPrinted);
    const { stated, verbatim } = await this.#record(named, equal);
    for (const [index, why] of stated.wrong) this.#wrong.set(index, why);
    if (stated.problem === '' && stated.path !== null) {
      this.#statedPath = stated.path;
      const isCompared = (one: Written): boolean => !this.#wrong.has(one.index) && !verbatim.includes(one);
      const shared = await this.#inOneFile(together.filter(isCompared));
      for (const one of [...shared, ...alone.filter(isCompared)]) {
        const problem = await this.#inItsOwn(one);
        if (problem !== '') return { ...stated, names: this.#names, problem: `as they are written: ${problem}` };
      }
    }
    return { ...stated, names: this.#names, wrong: this.#wrong };
  }

  /** The kernel's reader splits names at dots, so a quoted part with a dot would be ambiguous: such theorems are wrong. */
  #withoutDottedNames(): Written[] {
    const all = this.#theorems.map(({ statement }, index) => writtenAt(index, statement));
    const { dotted = [], named = [] } = Object.groupBy(all, ({ name }) =>
      nameParts(name).some((part) => part.includes('.')) ? 'dotted' : 'named',
    );
    for (const { index } of dotted) this.#wrong.set(index, 'its name has a dot between guillemets');
    return named;
  }

  /** Compiles the record with the statements in `equal` as written, except those that Lean refuses in that form. */
  async #record(
    named: readonly Written[],
    equal: readonly Written[],
  ): Promise<{ stated: StatedModule; verbatim: readonly Written[] }> {
    const stated = await this.#state(named, equal);
    const verbatim = equal.filter(({ index }) => !stated.wrong.has(index));
    if (verbatim.length === equal.length) return { stated, verbatim };
    return { stated: await this.#state(named, verbatim), verbatim };
  }

  #parted(named: readonly Written[]): { alone?: Written[]; together?: Written[] } {
    const byEnd = Map.groupBy(named, ({ name }) => nameParts(name).at(-1)!);
    const twins = new Set([...byEnd.values()].filter(({ length }) => length > 1).flat());
    return Object.groupBy(named, (one) => (twins.has(one) || this.#seesNames(one, byEnd) ? 'alone' : 'together'));
  }

  /** Whether the text may see what Lean makes for a theorem whose name has one of these last components. */
  #seesNames({ text, end }: Written, ends: ReadonlyMap<string, unknown>): boolean {
    return (
      this.#hasDefinitions ||
      canSeeNames(withoutOpens(tokenize(this.#header)), ends) ||
      canSeeNames(tokenize(text.slice(end)), ends)
    );
  }

  readonly #isAsPrinted = ({ index, text, end }: Written): boolean =>
    this.#isPrinted && text.slice(end).trimEnd() === this.#theorems[index]!.signature;

  /** Compiles our record. The statements in `verbatim` stand first, as written. */
  async #state(named: readonly Written[], verbatim: readonly Written[]): Promise<StatedModule> {
    const [, ...options] = this.#task.opening;
    const others = named.filter((one) => !verbatim.includes(one));
    const order = [...verbatim, ...others];
    const open = namespacesOf(this.#header);
    const names = new Map([
      ...verbatim.map(({ index, name }) => [index, fullName(name, open)] as const),
      ...others.map(({ index }, nth) => [index, statedName(nth)] as const),
    ]);
    this.#names = this.#theorems.map((_, index) => names.get(index) ?? '');
    const ours = others.map(({ index }) => this.#theorems[index]!);
    const stated =
      verbatim.length === 0
        ? await compileStatements(
            ours.map((theorem) => ({ ...theorem, opens: '' })),
            this.#task,
          )
        : await compileTexts(
            `${this.#header}\n`,
            [
              ...verbatim.map(({ text }) => asWritten(text)),
              ...ours.map((theorem, index) =>
                ['section', ...options, ...statedLines(statedName(index), theorem, this.#header), 'end'].join('\n'),
              ),
            ],
            this.#task,
            (one) => compileModule({ ...one, inOrder: false, ready: this.#task.ready }),
          );
    return { ...stated, wrong: new Map([...stated.wrong].map(([at, why]) => [order[at]!.index, why])) };
  }

  /** Compares statements in one file. Returns those that this did not decide. */
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
    const { index, text, name } = theorem;
    const written = await this.#compileOne(asWritten(text));
    if (written.path !== null) return this.#compare(written.path, [theorem]);
    if (written.exit === 'crashed' || written.exit === 'not-started') return written.failure;
    const error = written.messages.find(({ severity }) => severity === 'error');
    // Lean refuses a name that an import already has, and many problem sets have such names. If the statement cannot
    // see its name, it is read under another one.
    if (this.#isTaken(theorem, error) && !this.#seesNames(theorem, new Map([[nameParts(name).at(-1)!, null]]))) {
      const renamed = await this.#compileOne(underOurName(theorem));
      if (renamed.path !== null)
        return this.#compare(renamed.path, [{ index, name: `${cutLastPart(name)}${OTHER_NAME}` }]);
    }
    this.#wrong.set(index, `as it is written: ${error?.text ?? written.failure}`);
    return '';
  }

  /** Whether Lean reports that the name itself is taken. A tactic may report the same error at another position. */
  #isTaken({ opening }: Written, error: LeanMessage | undefined): boolean {
    if (error === undefined || !IS_TAKEN.test(error.text)) return false;
    const line = `${this.#header}\n\n${opening}`.split('\n').length;
    return error.line === line && error.column === columnBehind(opening);
  }

  /** Records the statements that the module states differently. Returns why it could not be read; empty if it could. */
  async #compare(path: string, theorems: readonly Pick<Written, 'index' | 'name'>[]): Promise<string> {
    if (theorems.length === 0) return '';
    const open = namespacesOf(this.#header);
    const asked = theorems.map(({ index, name }) => ({ name: fullName(name, open), stated: this.#names[index]! }));
    const { processContext, memoryBytesMax, signal, indexFolder } = this.#task;
    const bounds = { processContext, memoryBytesMax, signal };
    const report = await inspectModule({ ...bounds, path, statedPath: this.#statedPath, asked, indexFolder });
    if ('unread' in report) return report.unread;
    for (const [index, { statement, index: at }] of report.asked.entries()) {
      const isTheorem = at !== null && report.constants[at]!.kind === 'theorem';
      if (statement !== 'same' || !isTheorem) this.#wrong.set(theorems[index]!.index, OTHERWISE);
    }
    return '';
  }

  #compileOne(text: string): Promise<CompiledModule> {
    const { processContext, memoryBytesMax, signal } = this.#task;
    return this.#compile({
      ready: this.#task.ready,
      ...{ processContext, memoryBytesMax, signal, module: 'Written', text: `${this.#header}\n\n${text}\n` },
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

/**
 * Returns null if Lean reads the statement as written in the same way as in our form, otherwise the reason. Rejects as
 * `compileStatements` does.
 */
export async function readsAsWritten(
  { header, statement }: { readonly header: string | null; readonly statement: string },
  task: Pick<StatedTask, 'processContext' | 'memoryBytesMax' | 'signal'> & {
    readonly libraryHeader: string;
    /** A folder is made in it, and removed afterwards. */
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
    const { problem, wrong } = await new Reader([{ ...stated, statement }], { ...task, ...own }).read('canonical');
    return problem || (wrong.get(0) ?? null);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const OTHERWISE =
  'Lean reads it otherwise under its own name, in its own columns, below its own header. Write names in full, and tactic blocks on lines of their own';

const OTHER_NAME = '_stpWritten';

/** Replaces the last component of the statement's name; all later tokens keep their columns. */
function underOurName({ text, opening, name, end }: Written): string {
  const universes = universeParameters(text.slice(end));
  const column = columnBehind(opening + name + universes);
  const rest = text.slice(end + universes.length);
  return asWritten(`theorem ${cutLastPart(name)}${OTHER_NAME}${universes}\n${' '.repeat(column)}${rest}`);
}

/** Returns the full name of a theorem below a header that leaves namespaces open. */
function fullName(name: string, open: readonly string[]): string {
  const parts = nameParts(name);
  return (parts[0] === '_root_' ? parts.slice(1) : [...open, ...parts]).join('.');
}
