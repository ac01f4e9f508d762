/**
 * Reads the proofs that the source of a module has for its theorems. Names that a proof writes short, as its namespace and its opens allow,
 * are written in full, as statements of problem sets have them. Reads text only; Lean has to say whether the proof still holds.
 */
import { lineAt, maskSource, readCommands, readHeader } from '@stp/lean-text';
import { mentionsIn } from './mentions.ts';
import { splitSignature, splitTheorem } from './theorem-text.ts';

export interface WrittenProof {
  /** Fully qualified. */
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  /** Tactic block, its first tactic in column 2. A proof that is a term becomes `exact`. */
  readonly proof: string;
  /** The source up to the place where the block begins, Lean told to print names in full. */
  readonly above: string;
}

const DECLARES = new Set(['theorem', 'lemma', 'def', 'abbrev', 'inductive', 'structure', 'class']);
const NAMED = /^\w+\s+((?:«[^»\n]*»|[^\s:({[⦃«»])+)/u;

/** Full names of what the source declares under a name. */
export function declaredNames(source: string): string[] {
  const masked = maskSource(source);
  return readCommands(masked).flatMap(({ keyword, start, end, namespace }) => {
    const name = DECLARES.has(keyword) ? NAMED.exec(masked.withoutComments.slice(start, end))?.[1] : undefined;
    return name === undefined ? [] : [[...namespace, name].join('.')];
  });
}

/** Theorems in the order of the file; those whose proof is no tactic block and no term are left out. `names`: of the project. */
export function* writtenProofs(source: string, names: ReadonlySet<string>): Generator<WrittenProof> {
  const masked = maskSource(source);
  for (const { keyword, start, end, namespace, opens } of readCommands(masked)) {
    if (keyword !== 'theorem' && keyword !== 'lemma') continue;
    const text = masked.withoutComments.slice(start, end);
    const written = proofIn(text, masked.code.slice(start, end));
    if (written === null) continue;
    const scopes = [...namespace.map((_, depth) => namespace.slice(0, namespace.length - depth).join('.')), ...opens];
    yield {
      above: `${fullNames(source.slice(0, start + written.assignment))}:= by\n  `,
      name: [...namespace, written.name].join('.'),
      line: lineAt(source, start),
      proof: inFull(written.proof, scopes, names),
    };
  }
}

/** `assignment`: place of the `:=`. */
function proofIn(
  text: string,
  code: string,
): { readonly name: string; readonly proof: string; readonly assignment: number } | null {
  const signature = splitSignature(text, code);
  if (typeof signature === 'string') return null;
  const { name, assignment } = signature;
  const parts = splitTheorem(text, code);
  if (typeof parts !== 'string') return { name, assignment, proof: parts.proof };
  if (parts !== 'term proof') return null;
  const term = text.slice(assignment + ':='.length).trim();
  return {
    name,
    assignment,
    proof: /^\w+$/u.test(term) ? `  exact ${term}` : `  exact (${term.replaceAll('\n', '\n    ')})`,
  };
}

/** Has Lean print full names: the option stands below the imports. */
function fullNames(above: string): string {
  const { end } = readHeader(above);
  return `${above.slice(0, end)}\nset_option pp.fullNames true\n${above.slice(end)}`;
}

function inFull(proof: string, scopes: readonly string[], names: ReadonlySet<string>): string {
  let [full, at] = ['', 0];
  for (const { name, start, end } of mentionsIn(proof, scopes, names)) {
    full += proof.slice(at, start) + name;
    at = end;
  }
  return full + proof.slice(at);
}
