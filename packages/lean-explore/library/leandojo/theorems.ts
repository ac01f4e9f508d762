/**
 * Extracts the texts of traced theorems from the traced checkout (docs/algorithm.md, section 12). Of Lean's syntax it
 * knows only where a signature ends.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { StpError } from '@stp/base';
import { PROOF_CHARS_MAX, STATEMENT_CHARS_MAX } from '@stp/config/records';
import { maskSource } from '@stp/lean-text';
import { splitSignature, splitTheorem } from '../theorem-text.ts';
import { type LeanDojoSplit, readTracedTheorems, type TracedTheorem } from './entries.ts';

/** Mathlib's longest file has under 1 MB. */
const FILE_BYTES_MAX = 16 << 20;

export interface SourceTheorem {
  readonly name: string;
  readonly file: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Lines `startLine` to `endLine`, joined by line feeds, including attributes, comments and proof. */
  readonly text: string;
  /** Distinct names in its tactics that are theorems of the table. */
  readonly premises: readonly string[];
  /** `theorem NAME BINDERS : TYPE`, without section variables; null if it has no `:=` of its own. */
  readonly statement: string | null;
  /** Tactic block after `:= by`, with its first tactic in column 2; null for other proofs. */
  readonly proof: string | null;
}

/** Why the text of a traced theorem is missing. */
export type Missing = 'file not in the checkout' | 'lines not in the file' | 'no theorem on its lines';

export interface SourceTheorems {
  /** Theorems by file name, then by line, which is the order for making tuples. */
  readonly theorems: readonly SourceTheorem[];
  readonly missing: Readonly<Record<Missing, number>>;
  /** Number of distinct names. The table counts repeated names once. */
  readonly distinctNames: number;
}

const KEYWORD = /(?<![\p{L}\p{N}_'.])(?:theorem|lemma)(?=\s)/u;

/**
 * Reads all theorems of a LeanDojo folder with their texts from `checkout` into memory (about 1 kB each). Throws as
 * `readTracedTheorems`; STP1501 for a path outside the checkout; STP1405 if there is no checkout.
 */
export async function readSourceTheorems(
  folder: string,
  split: LeanDojoSplit,
  checkout: string,
): Promise<SourceTheorems> {
  const root = await realpath(checkout).catch((cause: unknown) => {
    throw new StpError('STP1405', `there is no folder ${checkout}`, 'Name the checkout of Mathlib that was traced.', {
      cause,
    });
  });
  const byFile = new Map<string, TracedTheorem[]>();
  for await (const theorem of readTracedTheorems(folder, split)) {
    const inFile = byFile.get(theorem.file) ?? [];
    inFile.push(theorem);
    byFile.set(theorem.file, inFile);
  }
  const missing: Record<Missing, number> = {
    'file not in the checkout': 0,
    'lines not in the file': 0,
    'no theorem on its lines': 0,
  };
  const cut: (CutTheorem & { theorem: TracedTheorem })[] = [];
  for (const file of [...byFile.keys()].sort()) {
    const traced = byFile.get(file)!.sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine);
    const lines = await readSourceLines(root, file);
    for (const theorem of traced) {
      const found = lines === null ? 'file not in the checkout' : cutTheorem(lines, theorem);
      if (typeof found === 'string') missing[found] += 1;
      else cut.push({ theorem, ...found });
    }
  }
  const table = new Set(cut.map(({ theorem }) => theorem.name));
  const theorems = cut.map(({ theorem: { names, ...theorem }, ...rest }) => ({
    ...theorem,
    ...rest,
    premises: names.filter((name) => table.has(name)),
  }));
  return { theorems, missing, distinctNames: table.size };
}

/**
 * Returns the lines of a file of the checkout, without line ends; null if it is missing. Throws STP1501 for a path
 * outside the checkout.
 */
export async function readSourceLines(root: string, file: string): Promise<readonly string[] | null> {
  const outside = (): StpError =>
    new StpError('STP1501', `${file} is not in ${root}`, 'Is this LeanDojo Benchmark 4, whole and unchanged?');
  const path = resolve(root, file);
  if (!path.startsWith(root + sep)) throw outside();
  const found = await realpath(path).catch(() => null);
  if (found === null) return null;
  if (!found.startsWith(root + sep)) throw outside();
  const { size } = await stat(found);
  if (size > FILE_BYTES_MAX)
    throw new StpError('STP1501', `${path} has ${size} bytes, more than ${FILE_BYTES_MAX}`, 'Is it Lean source?');
  return (await readFile(found, 'utf8')).split(/\r\n|\n|\r/);
}

type CutTheorem = Pick<SourceTheorem, 'text' | 'statement' | 'proof'>;

/** Extracts the theorem's lines, and signature and tactic block if it has them and a record can hold them. */
function cutTheorem(lines: readonly string[], theorem: TracedTheorem): CutTheorem | Missing {
  if (theorem.endLine < theorem.startLine || theorem.endLine > lines.length) return 'lines not in the file';
  const text = lines.slice(theorem.startLine - 1, theorem.endLine).join('\n');
  const { code, withoutComments } = maskSource(text);
  const start = KEYWORD.exec(code)?.index;
  if (start === undefined) return 'no theorem on its lines';
  const signature = splitSignature(withoutComments.slice(start), code.slice(start));
  const whole = splitTheorem(withoutComments.slice(start), code.slice(start));
  const statement = typeof signature === 'string' ? null : within(signature.statement, STATEMENT_CHARS_MAX);
  const proof = typeof whole === 'string' || statement === null ? null : within(whole.proof, PROOF_CHARS_MAX);
  return { text, statement, proof };
}

function within(text: string, charsMax: number): string | null {
  return text.trim() === '' || text.length > charsMax ? null : text;
}
