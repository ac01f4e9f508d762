/** The output of `stp check`: verdicts for people, or one JSON object per theorem and one per file. */
import { printableJson, printableLine, printableText } from '@stp/base';
import type { CheckRecord, SandboxFacts } from '@stp/config/records';
import { type FileReport, meaningLines } from '@stp/lean-verifier';

type Verdict = FileReport['outcome'];
const VERDICTS: readonly Verdict[] = ['accepted', 'rejected', 'unchecked'];
/** Width of the longest verdict and a blank; messages start in this column. */
const VERDICT_COLUMNS = 10;

/** The result for one file, even if Lean never read it. */
export interface CheckedFile {
  readonly file: string;
  readonly outcome: Verdict;
  /** Why the file as a whole is not accepted; empty if it is accepted, or if its theorems give the reason. */
  readonly reason: string;
  readonly theorems: FileReport['theorems'];
  /** Definitions and other declarations that depend on axioms. */
  readonly declarations: NonNullable<FileReport['others']>;
  /** Facts that can deceive a reader of the file, in addition to those of its theorems. */
  readonly notes: readonly string[];
  readonly checks: readonly CheckRecord[];
  /** Null if the command did not search for Lean. */
  readonly sandbox: SandboxFacts | null;
}

export function uncheckedFile(file: string, reason: string, sandbox: SandboxFacts | null = null): CheckedFile {
  return { file, outcome: 'unchecked', reason, theorems: [], declarations: [], notes: [], checks: [], sandbox };
}

/** Returns the output lines for one file. */
export function linesOf(checked: CheckedFile, asJson: boolean): string[] {
  return asJson ? jsonLines(checked) : textLines(checked);
}

/** Theorems in file order, then the file. Lines of theorems have `name`, those of files have `outcome`. */
function jsonLines({ file, outcome, reason, theorems, declarations, notes, checks, sandbox }: CheckedFile): string[] {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, countOf(theorems, verdict)]));
  return [
    ...theorems.map((theorem) => printableJson({ file, ...theorem })),
    printableJson({
      file,
      outcome,
      reason,
      theorems: counts,
      ...(declarations.length === 0 ? {} : { declarations }),
      ...(notes.length === 0 ? {} : { notes }),
      checks,
      sandbox,
    }),
  ];
}

function textLines({ file, outcome, reason, theorems, notes }: CheckedFile): string[] {
  return [
    ...theorems.map(({ name, verdict, line, column, message, meaning }) => {
      const said = [message, ...(meaning === undefined ? [] : meaningLines(meaning).map((note) => `note: ${note}`))];
      const below = said.filter((text) => text !== '').join('\n');
      return entry(verdict, `${printableLine(file)}:${line}:${column} ${printableLine(name)}`, below);
    }),
    ...(reason === '' ? [] : [entry(outcome, printableLine(file), reason)]),
    ...(notes.length === 0 ? [] : [entry('note', printableLine(file), noted(notes))]),
  ];
}

const NOTES_MAX = 8;

function noted(notes: readonly string[]): string {
  const more = notes.length > NOTES_MAX ? [`and ${notes.length - NOTES_MAX} more (--json lists them)`] : [];
  return [...notes.slice(0, NOTES_MAX), ...more].join('\n');
}

/** Returns whether something in the file can deceive a reader about what it proves. */
export function isNoted({ theorems, notes }: CheckedFile): boolean {
  return notes.length > 0 || theorems.some(({ meaning }) => meaning !== undefined);
}

function entry(verdict: Verdict | 'note', what: string, message: string): string {
  const indent = `\n${' '.repeat(VERDICT_COLUMNS)}`;
  const below = message === '' ? '' : `${indent}${printableText(message).replaceAll('\n', indent)}`;
  return `${verdict.padEnd(VERDICT_COLUMNS)}${what}${below}`;
}

/** Returns the last line. `by`: which Lean, in which sandbox. */
export function summaryLine(files: readonly CheckedFile[], by: string): string {
  const theorems = files.flatMap((file) => file.theorems);
  const accepted = `${countOf(theorems, 'accepted')} of ${theorems.length} theorems accepted${by}`;
  if (files.length === 1) return accepted;
  const outcomes = VERDICTS.map((verdict) => `${files.filter(({ outcome }) => outcome === verdict).length} ${verdict}`);
  return `${files.length} files: ${outcomes.join(', ')}; ${accepted}`;
}

function countOf(theorems: CheckedFile['theorems'], wanted: Verdict): number {
  return theorems.filter(({ verdict }) => verdict === wanted).length;
}
