/**
 * Writes kept proofs as one Lean file. Each proof has a section with its header's opens and a name that the caller
 * chose. The grown theorems that the proofs need stand at the top.
 */

import { splitImports } from '../header.ts';
import {
  GROWN_NAMESPACE,
  type GrownTheorem,
  headerOf,
  isGrownName,
  markedNamespace,
  markLines,
  marksOpened,
  namespaceOf,
  theoremText,
} from '../kept-theorem.ts';
import { ownScope } from '../object/stated-module.ts';
import { inNamespace } from '../stated-form.ts';

/** Certified theorems are named `Kept.NAME`, so that they do not clash with a library. */
export const KEPT_NAMESPACE = 'Kept';

export interface ProofText {
  /** Full name of the theorem in the file: the namespace above and one identifier. */
  readonly name: string;
  /** Imports and opens; null for the library header. */
  readonly header: string | null;
  readonly statement: string;
  readonly proof: string;
  /** Full names of the theorems that the proof mentions; only grown ones matter. */
  readonly premises: readonly string[];
  /**
   * Grown theorems that the proof's compiled module mentions. Missing if unknown, or if the proof turned out to need
   * more.
   */
  readonly restsOn?: readonly string[] | undefined;
  /** Whether the proof calls its own theorem. Missing: as `callsItself` guesses. */
  readonly isRecursive?: boolean;
  /** A one-line comment above the theorem. */
  readonly note?: string;
}

export type GrownText = GrownTheorem &
  Pick<ProofText, 'premises' | 'restsOn'> & {
    readonly round: number;
  };

/** Disables automatic binding of variables, and linter warnings about valid proofs. */
const OPTIONS = 'set_option autoImplicit false\nset_option linter.all false\n';

/**
 * Returns the grown theorems that the proofs need, directly or through other grown theorems, in order of growth: those
 * that a proof names or that its compiled module mentions. If a proof opens marks and its dependencies are unknown or
 * insufficient, all marked theorems are included, because tactics may behave differently with fewer. A theorem depends
 * only on earlier ones, so each stands below those that it needs.
 */
export function neededTheorems<Grown extends GrownText>(
  proofs: readonly Pick<ProofText, 'proof' | 'premises' | 'restsOn'>[],
  library: readonly Grown[],
): Grown[] {
  const needed = new Set<string>();
  /** Headers of which all theorems before the present one are needed. */
  const marked = new Set<string | null>();
  const opened = new Set<string>();
  const need = ({ proof, premises, restsOn }: Pick<ProofText, 'proof' | 'premises' | 'restsOn'>): void => {
    for (const name of [...premises, ...(restsOn ?? [])]) needed.add(name);
    const marks = marksOpened(proof);
    if (restsOn === undefined && marks !== null) opened.add(marks);
  };
  for (const proof of proofs) need(proof);
  const found: Grown[] = [];
  for (const theorem of library.toReversed()) {
    if (opened.has(markedNamespace(theorem.name))) marked.add(theorem.header);
    if (!needed.has(theorem.name) && !marked.has(theorem.header)) continue;
    found.push(theorem);
    need(theorem);
  }
  return found.toReversed();
}

/** Returns the imports of the headers without repetitions, sorted, as `import Foo`; `prelude` comes first. */
export function importLines(proofs: readonly Pick<ProofText, 'header'>[]): string[] {
  const lines = [...new Set(proofs.flatMap((proof) => splitImports(headerOf(proof.header)).imports))].sort();
  return lines.includes(PRELUDE) ? [PRELUDE, ...lines.filter((line) => line !== PRELUDE)] : lines;
}

const PRELUDE = 'prelude';

/** Matches imports of this project's own library. */
const OWN_IMPORT = /^import Stp(?:\.|$)/u;

/**
 * Returns the header lines about other libraries than this project's: `prelude`, and imports of Lean's, a project's or
 * assumed modules.
 */
export const foreignLines = (proofs: readonly Pick<ProofText, 'header'>[]): string[] =>
  importLines(proofs).filter((line) => !OWN_IMPORT.test(line));

/**
 * Groups the proofs into files. Statements over other libraries must be read with exactly the imports of their header,
 * because another import could contain the theorem itself.
 */
export function proofsByFile<Proof extends Pick<ProofText, 'header'>>(proofs: readonly Proof[]): Proof[][] {
  const keyOf = (proof: Proof): string => (foreignLines([proof]).length > 0 ? importLines([proof]).join('\n') : '');
  return [...Map.groupBy(proofs, keyOf).values()];
}

/**
 * Writes the grown theorems and the namespaces of marks. Each namespace marks the theorems that it marked when the
 * proofs were found.
 *
 * @param theorems result of `neededTheorems`
 * @param proofs the proofs that follow in the file
 */
export function grownSection(
  theorems: readonly GrownText[],
  proofs: readonly Pick<ProofText, 'header' | 'proof'>[],
): string[] {
  const opened = new Map<string, string | null>();
  for (const { proof, header } of [...theorems, ...proofs]) {
    const marks = marksOpened(proof);
    if (marks !== null) opened.set(marks, header);
  }
  if (theorems.length === 0 && opened.size === 0) return [];
  const namespaces = [...opened].map(([name, header]) => {
    const number = numberOf(name);
    const marked = theorems.filter((theorem) => theorem.header === header && numberOf(theorem.name) <= number);
    const own = name.slice(GROWN_NAMESPACE.length + 1);
    return { number, text: `${[`namespace ${own}`, ...markLines(marked), `end ${own}`].join('\n')}\n` };
  });
  const grown = theorems.map((theorem) => {
    const text = theoremText(theorem.name.slice(GROWN_NAMESPACE.length + 1), theorem);
    const stated = `section\n${openLines(theorem.header)}\n-- lemma, round ${theorem.round}\n${text}\nend\n`;
    return { number: numberOf(theorem.name), text: stated };
  });
  // `sort` is stable, so a theorem stands above the namespace that marks it.
  const inOrder = [...grown, ...namespaces].sort((a, b) => a.number - b.number);
  return [`namespace ${GROWN_NAMESPACE}\n\n${OPTIONS}`, ...inOrder.map(({ text }) => text), `end ${GROWN_NAMESPACE}\n`];
}

/** Returns the number in `Grown.g17` or `Grown.marked17`. */
const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0]);

const KEPT_OPENING = `namespace ${KEPT_NAMESPACE}\n\n${OPTIONS}`;
const KEPT_CLOSING = `end ${KEPT_NAMESPACE}\n`;

export function keptSection(proofs: readonly ProofText[]): string {
  return [KEPT_OPENING, ...proofs.map(sectionOf), KEPT_CLOSING].join('\n');
}

function sectionOf(proof: ProofText): string {
  const usesGrown = proof.premises.some(isGrownName);
  const opens = usesGrown ? `${openLines(proof.header)}\nopen ${GROWN_NAMESPACE}` : openLines(proof.header);
  const note = proof.note === undefined ? '' : `-- ${proof.note}\n`;
  const name = proof.name.slice(KEPT_NAMESPACE.length + 1);
  const { open, close } = ownScope(name, opens);
  const namespace = namespaceOf(proof);
  // Inside namespaces of its header, of its definitions or of its own name, the theorem is written with `_root_`.
  const isWithin = close !== 'end' || namespace !== '';
  const text = inNamespace(namespace, [theoremText(isWithin ? `_root_.${proof.name}` : name, proof)]);
  const section = [open, `${note}${text.join('\n')}`, close].join('\n');
  if (namespace === '') return `${section}\n`;
  return `${KEPT_CLOSING}\nsection\n\n${OPTIONS}\n${section}\nend\n\n${KEPT_OPENING}`;
}

/** Returns the lines of a header except its imports, including definitions. */
function openLines(header: string | null): string {
  return splitImports(headerOf(header)).rest.replaceAll(/\n{2,}/g, '\n');
}
