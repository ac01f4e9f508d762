/**
 * A Lean file of proofs that are to be certified: each in a section of its own under its header's opens and under a name that
 * the caller chose, below the grown theorems that the proofs name.
 */

import { closingLines, splitImports } from '../header.ts';
import {
  GROWN_NAMESPACE,
  type GrownTheorem,
  headerOf,
  markedNamespace,
  markLines,
  marksOpened,
  signatureOf,
  theoremText,
} from '../kept-theorem.ts';
import { ownScope } from '../object/stated-module.ts';
import type { CertificateTask } from './checkers.ts';

/** Names of certified theorems are `Kept.NAME`, so that they meet none of a library. */
export const KEPT_NAMESPACE = 'Kept';

export interface ProofText {
  /** Full name of the theorem in the file: the namespace above and one plain word. */
  readonly name: string;
  /** Imports and opens; null for the library header. */
  readonly header: string | null;
  readonly statement: string;
  readonly proof: string;
  /** Full names of theorems that the proof names; only grown ones matter. */
  readonly premises: readonly string[];
  /** A comment above it, one line. */
  readonly note?: string;
}

export type GrownText = GrownTheorem & Pick<ProofText, 'premises'>;

const NO_AUTO_BOUND = 'set_option autoImplicit false\n';

/** The file over the compiled library. */
export function certificateFile(proofs: readonly ProofText[], library: readonly GrownText[] = []): string {
  const grown = neededTheorems(proofs, library);
  return [...importLines([...proofs, ...grown]), ...grownSection(grown, proofs), keptSection(proofs)].join('\n');
}

/** What that file is to prove: each theorem as our record states it. */
export function certificateTask(proofs: readonly ProofText[], library: readonly GrownText[] = []): CertificateTask {
  const grown = neededTheorems(proofs, library);
  return {
    stated: [...grown, ...proofs].map(({ name, header, statement }) => ({
      name,
      opens: openLines(header),
      signature: signatureOf(statement),
    })),
    importLines: importLines([...proofs, ...grown]),
    marksTheorems: [...proofs, ...grown].some(({ proof }) => marksOpened(proof) !== null),
  };
}

/**
 * Grown theorems that the proofs need, and those that their own proofs need, in order of growth: what a proof names, and where
 * it opens marks all that are marked, since a tactic may fare otherwise with fewer. A theorem needs only ones that grew before
 * it, so in this order each stands below all that it needs.
 */
export function neededTheorems<Grown extends GrownText>(
  proofs: readonly Pick<ProofText, 'proof' | 'premises'>[],
  library: readonly Grown[],
): Grown[] {
  const needed = new Set<string>();
  /** Headers whose theorems are needed from here to the first. */
  const marked = new Set<string | null>();
  const opened = new Set<string>();
  const need = ({ proof, premises }: Pick<ProofText, 'proof' | 'premises'>): void => {
    for (const premise of premises) needed.add(premise);
    const marks = marksOpened(proof);
    if (marks !== null) opened.add(marks);
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

/** What the headers import, once each, sorted: `import Foo`. */
export function importLines(proofs: readonly Pick<ProofText, 'header'>[]): string[] {
  return [...new Set(proofs.flatMap((proof) => splitImports(headerOf(proof.header)).imports))].sort();
}

/**
 * @param theorems as of `neededTheorems`
 * @param proofs that stand below them
 */
export function grownSection(theorems: readonly GrownText[], proofs: readonly Pick<ProofText, 'proof'>[]): string[] {
  if (theorems.length === 0) return [];
  const opened = new Set([...proofs, ...theorems].map(({ proof }) => marksOpened(proof)));
  const grown = theorems.map((theorem, place) => {
    const text = theoremText(theorem.name.slice(GROWN_NAMESPACE.length + 1), theorem);
    const stated = `section\n${openLines(theorem.header)}\n-- conjecture, round ${theorem.round}\n${text}\nend\n`;
    const marks = markedNamespace(theorem.name);
    if (!opened.has(marks)) return stated;
    const marked = theorems.slice(0, place + 1).filter(({ header }) => header === theorem.header);
    const name = marks.slice(GROWN_NAMESPACE.length + 1);
    return `${stated}\n${[`namespace ${name}`, ...markLines(marked), `end ${name}`].join('\n')}\n`;
  });
  return [`namespace ${GROWN_NAMESPACE}\n\n${NO_AUTO_BOUND}`, ...grown, `end ${GROWN_NAMESPACE}\n`];
}

export function keptSection(proofs: readonly ProofText[]): string {
  const kept = proofs.map((proof) => {
    const usesGrown = proof.premises.some((premise) => premise.startsWith(`${GROWN_NAMESPACE}.`));
    const opens = usesGrown ? `${openLines(proof.header)}\nopen ${GROWN_NAMESPACE}` : openLines(proof.header);
    const note = proof.note === undefined ? '' : `-- ${proof.note}\n`;
    const name = proof.name.slice(KEPT_NAMESPACE.length + 1);
    const { open, close } = ownScope(name, opens);
    // Within namespaces of its header the theorem keeps its name.
    const text = theoremText(closingLines(opens).length > 0 ? `_root_.${proof.name}` : name, proof);
    return `${open}\n${note}${text}\n${close}\n`;
  });
  return [`namespace ${KEPT_NAMESPACE}\n\n${NO_AUTO_BOUND}`, ...kept, `end ${KEPT_NAMESPACE}\n`].join('\n');
}

/** Lines of a header other than its imports, which the file carries in full: also its definitions. */
function openLines(header: string | null): string {
  return splitImports(headerOf(header)).rest.replaceAll(/\n{2,}/g, '\n');
}
