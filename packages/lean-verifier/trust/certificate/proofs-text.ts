/**
 * The text of kept proofs in one Lean file: each in a section of its own under its header's opens and under a name that the
 * caller chose, below the grown theorems that the proofs need.
 */

import { splitImports } from '../header.ts';
import {
  GROWN_NAMESPACE,
  type GrownTheorem,
  headerOf,
  markedNamespace,
  markLines,
  marksOpened,
  namespaceOf,
  theoremText,
} from '../kept-theorem.ts';
import { ownScope } from '../object/stated-module.ts';
import { inNamespace } from '../stated-form.ts';

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
  /** Grown theorems that its object mentions; missing where that is not known, or where the proof was seen to need more. */
  readonly restsOn?: readonly string[] | undefined;
  /** Does the proof call its own theorem? Missing: as `callsItself` guesses. */
  readonly isRecursive?: boolean;
  /** A comment above it, one line. */
  readonly note?: string;
}

export type GrownText = GrownTheorem &
  Pick<ProofText, 'premises' | 'restsOn'> & {
    /** Round that proved it. */
    readonly round: number;
  };

/** No variable is bound that a statement does not bind, and a reader’s `lean` says nothing of proofs that hold. */
const OPTIONS = 'set_option autoImplicit false\nset_option linter.all false\n';

/**
 * Grown theorems that the proofs need, and those that their own proofs need, in order of growth: what a proof names, and what its
 * object mentions. Of a proof that opens marks, and of which that is not known or not enough, all that are marked: a tactic may fare
 * otherwise with fewer. A theorem needs only ones that grew before it, so in this order each stands below all that it needs.
 */
export function neededTheorems<Grown extends GrownText>(
  proofs: readonly Pick<ProofText, 'proof' | 'premises' | 'restsOn'>[],
  library: readonly Grown[],
): Grown[] {
  const needed = new Set<string>();
  /** Headers whose theorems are needed from here to the first. */
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

/** Returns the imports of the headers, once each, sorted: `import Foo`; `prelude` first. */
export function importLines(proofs: readonly Pick<ProofText, 'header'>[]): string[] {
  const lines = [...new Set(proofs.flatMap((proof) => splitImports(headerOf(proof.header)).imports))].sort();
  return lines.includes(PRELUDE) ? [PRELUDE, ...lines.filter((line) => line !== PRELUDE)] : lines;
}

const PRELUDE = 'prelude';

/** Imports of this project's own library. */
const OWN_IMPORT = /^import Stp(?:\.|$)/u;

/** Lines of headers that name what is not this project's library: `prelude`, and imports of Lean's, a project's or assumed modules. */
export const foreignLines = (proofs: readonly Pick<ProofText, 'header'>[]): string[] =>
  importLines(proofs).filter((line) => !OWN_IMPORT.test(line));

/**
 * The proofs that one file may hold. Statements over other libraries than ours are read with what their header imports, and with
 * nothing else: what one imports may have the theorem of another.
 */
export function proofsByFile<Proof extends Pick<ProofText, 'header'>>(proofs: readonly Proof[]): Proof[][] {
  const keyOf = (proof: Proof): string => (foreignLines([proof]).length > 0 ? importLines([proof]).join('\n') : '');
  return [...Map.groupBy(proofs, keyOf).values()];
}

/**
 * A namespace of marks marks those of the theorems that it marked where the proofs were found.
 *
 * @param theorems as of `neededTheorems`
 * @param proofs that stand below them
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
    const place = placeOf(name);
    const marked = theorems.filter((theorem) => theorem.header === header && placeOf(theorem.name) <= place);
    const own = name.slice(GROWN_NAMESPACE.length + 1);
    return { place, text: `${[`namespace ${own}`, ...markLines(marked), `end ${own}`].join('\n')}\n` };
  });
  const grown = theorems.map((theorem) => {
    const text = theoremText(theorem.name.slice(GROWN_NAMESPACE.length + 1), theorem);
    const stated = `section\n${openLines(theorem.header)}\n-- lemma, round ${theorem.round}\n${text}\nend\n`;
    return { place: placeOf(theorem.name), text: stated };
  });
  // A theorem stands above the namespace that marks it: `sort` keeps the order of equal places.
  const inOrder = [...grown, ...namespaces].sort((a, b) => a.place - b.place);
  return [`namespace ${GROWN_NAMESPACE}\n\n${OPTIONS}`, ...inOrder.map(({ text }) => text), `end ${GROWN_NAMESPACE}\n`];
}

/** The number in `Grown.g17` and `Grown.marked17`. */
const placeOf = (name: string): number => Number(/\d+$/.exec(name)?.[0]);

const KEPT_OPENING = `namespace ${KEPT_NAMESPACE}\n\n${OPTIONS}`;
const KEPT_CLOSING = `end ${KEPT_NAMESPACE}\n`;

export function keptSection(proofs: readonly ProofText[]): string {
  return [KEPT_OPENING, ...proofs.map(sectionOf), KEPT_CLOSING].join('\n');
}

function sectionOf(proof: ProofText): string {
  const usesGrown = proof.premises.some((premise) => premise.startsWith(`${GROWN_NAMESPACE}.`));
  const opens = usesGrown ? `${openLines(proof.header)}\nopen ${GROWN_NAMESPACE}` : openLines(proof.header);
  const note = proof.note === undefined ? '' : `-- ${proof.note}\n`;
  const name = proof.name.slice(KEPT_NAMESPACE.length + 1);
  const { open, close } = ownScope(name, opens);
  const namespace = namespaceOf(proof);
  // Within namespaces of its header, of its definitions and of its own name, the theorem keeps its name.
  const isWithin = close !== 'end' || namespace !== '';
  const text = inNamespace(namespace, [theoremText(isWithin ? `_root_.${proof.name}` : name, proof)]);
  const section = [open, `${note}${text.join('\n')}`, close].join('\n');
  if (namespace === '') return `${section}\n`;
  return `${KEPT_CLOSING}\nsection\n\n${OPTIONS}\n${section}\nend\n\n${KEPT_OPENING}`;
}

/** Lines of a header other than its imports, which the file carries in full: also its definitions. */
function openLines(header: string | null): string {
  return splitImports(headerOf(header)).rest.replaceAll(/\n{2,}/g, '\n');
}
