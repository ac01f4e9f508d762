/**
 * Reads the proofs of theorems from the source of a module. Names that a proof abbreviates by its namespace and opens
 * are written in full, as in statements of problem sets. It reads text only; Lean must decide whether the changed proof
 * is valid.
 */
import { lineAt, maskSource, readCommands, readHeader } from '@stp/lean-text';
import { mentionsIn } from './mentions.ts';
import { splitSignature, splitTheorem } from './theorem-text.ts';

export interface WrittenProof {
  /** Fully qualified name. */
  readonly name: string;
  /** 1-based line. */
  readonly line: number;
  /** Tactic block, with its first tactic in column 2. A term proof becomes `exact`. */
  readonly proof: string;
  /** The source up to the beginning of the block, with an option that prints full names. */
  readonly above: string;
}

const DECLARES = new Set(['theorem', 'lemma', 'def', 'abbrev', 'inductive', 'structure', 'class']);
const NAMED = /^\w+\s+((?:«[^»\n]*»|[^\s:({[⦃«»])+)/u;

/** Returns the full names of all named declarations of the source. */
export function declaredNames(source: string): string[] {
  const masked = maskSource(source);
  return readCommands(masked).flatMap(({ keyword, start, end, namespace }) => {
    const name = DECLARES.has(keyword) ? NAMED.exec(masked.withoutComments.slice(start, end))?.[1] : undefined;
    return name === undefined ? [] : [[...namespace, name].join('.')];
  });
}

/**
 * Yields theorems in file order, except those whose proof is neither a tactic block nor a term. `names` are those of
 * the project.
 */
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

/** `assignment` is the offset of the `:=`. */
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

/** Makes Lean print full names by an option below the imports. */
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
