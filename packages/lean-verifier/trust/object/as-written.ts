/**
 * Does Lean read statements as somebody wrote them as it reads them in our form? Ours has another name, is printed from
 * tokens and stands below options and a namespace of ours, and Lean reads names by namespaces and tactic blocks by
 * columns. So whoever writes the statement could make the two differ, and a true reading would be proved in place of a false
 * one. Here the text is compiled as it came, header and all, with nothing changed but the last part of the name, which an
 * import may have; its type must be that of ours, compared as kernel terms.
 *
 *     theorem Nat.t : gcd (0 - 1) 0 = 1      below `open Int`: Nat.gcd here, Int.gcd without the name's namespace
 *
 * This compilation decides nothing else. What a text could do in it, it could do to its author's own Lean.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nameParts } from '@stp/lean-text';
import { splitImports } from '../header.ts';
import { namesBoundIn } from '../screen/local-names.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import { namespacesOf, type Stated } from '../stated-form.ts';
import { columnBehind, readTheoremName, type TheoremName, universeParameters } from '../theorem-name.ts';
import { type CompileTask, compileModule } from './compiled-module.ts';
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

const PREFIX = '_stpWritten';

/** As `compileStatements`; what Lean reads otherwise, or cannot read, as it is written is among the wrong ones. */
export async function compileAndCompare(theorems: readonly WrittenTheorem[], task: WrittenTask): Promise<StatedModule> {
  const stated = await compileStatements(
    theorems.map((theorem) => ({ ...theorem, opens: '' })),
    task,
  );
  if (stated.problem !== '' || stated.path === null) return stated;
  const unknown = (problem: string): StatedModule => ({ ...stated, problem: `as they are written: ${problem}` });
  const header = task.writtenUnder.replaceAll('\r\n', '\n');
  const texts = theorems.map(({ statement }, index) => textUnderOurName(statement, index));
  const { imports } = splitImports(header);
  const { snapshots } = task;
  const compile =
    snapshots !== undefined && header.startsWith(imports.join('\n'))
      ? (one: CompileTask) => snapshots.compile(imports, one)
      : compileModule;
  const written = await compileTexts(header, texts, { ...task, directory: join(task.directory, 'written') }, compile);
  if (written.problem !== '') return unknown(written.problem);
  const wrong = new Map([...written.wrong].map(([index, message]) => [index, `as it is written: ${message}`]));
  if (written.path !== null) {
    const open = namespacesOf(header);
    const asked = theorems.map(({ statement }, index) => ({
      name: fullName(statement, index, open),
      stated: statedName(index),
    }));
    const { place, memoryBytesMax, signal, indexFolder } = task;
    const bounds = { place, memoryBytesMax, signal };
    const report = await judgeObject({ ...bounds, path: written.path, statedPath: stated.path, asked, indexFolder });
    if ('unread' in report) return unknown(report.unread);
    for (const [index, { statement }] of report.asked.entries())
      if (statement !== 'same' && !wrong.has(index)) wrong.set(index, OTHERWISE);
  }
  return { ...stated, wrong: new Map([...wrong, ...stated.wrong]) };
}

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

/** The statement's text as a theorem with an open proof: each of its tokens behind the name in its column. */
function textUnderOurName(statement: string, index: number): string {
  const text = statement.replaceAll('\r\n', '\n');
  const { opening, name, end } = nameIn(text);
  const universes = universeParameters(text.slice(end));
  const column = columnBehind(opening + name + universes);
  const rest = text.slice(end + universes.length);
  return `theorem ${lastPartCut(name)}${PREFIX}${index}${universes}\n${' '.repeat(column)}${rest}\n:= by sorry`;
}

/** The full name of that theorem below a header that leaves namespaces open. */
function fullName(statement: string, index: number, open: readonly string[]): string {
  const parts = nameParts(nameIn(statement.replaceAll('\r\n', '\n')).name).slice(0, -1);
  const above = parts[0] === '_root_' ? parts.slice(1) : [...open, ...parts];
  return [...above, `${PREFIX}${index}`].join('.');
}

function nameIn(text: string): TheoremName {
  const theorem = readTheoremName(text);
  // The screen has accepted the statement.
  if ('missing' in theorem) throw new TypeError(`a statement that the screen refuses: ${theorem.missing}`);
  return theorem;
}

/** `Foo.` of `Foo.t`; the last part may be a quoted one. */
function lastPartCut(name: string): string {
  return name.endsWith('»') ? name.slice(0, name.lastIndexOf('«')) : name.slice(0, name.lastIndexOf('.') + 1);
}
