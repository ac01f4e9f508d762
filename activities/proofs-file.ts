/**
 * Lean files that hold kept proofs: one that carries everything it stands on, so that plain `lean` checks it on any
 * machine, and one over the compiled library, which checks in a second.
 */
import { contentId } from '../data/schemas/ids.ts';
import type { Proved } from '../data/schemas/records.ts';
import type { CertificateTask } from '../lean/certificate/checkers.ts';
import { GROWN_NAMESPACE, headerOf, signatureOf, theoremText } from '../lean/library/grow.ts';
import { type LeanSource, pruneTheorems } from '../lean/library/prune.ts';
import type { GrownRecord } from './library.ts';

const NAMESPACE = 'Kept';

/** Name the theorem has in the file, fully qualified; one for every (statement, proof). */
export function keptName(proof: Proved): string {
  const slug = proof.name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, 't');
  return `${NAMESPACE}.${slug}_${contentId(proof.statementId, proof.proof).slice(0, 8)}`;
}

/** Modules of problem sets: only those that a proof's own header imports are carried. */
const PROBLEM_MODULES = 'Stp.Problems.';
const IMPORT_LINE = /^[ \t]*import[ \t].*$/gm;

const withoutImports = (text: string): string => text.replaceAll(IMPORT_LINE, '').trim();

/** Lines of a header other than its imports, which the file carries in full. */
function openLines(header: string | null): string {
  return withoutImports(headerOf(header)).replaceAll(/\n{2,}/g, '\n');
}

/**
 * The file that people get: it carries the definitions of all modules and those of their theorems that the proofs need,
 * and the grown theorems that they need.
 *
 * @param library the run's grown theorems, in order of growth
 */
export function proofsFile(
  modules: readonly LeanSource[],
  proofs: readonly Proved[],
  library: readonly GrownRecord[] = [],
): string {
  const grown = neededTheorems(proofs, library);
  const imported = new Set(importLines([...proofs, ...grown]).map((line) => line.replace(/^import\s+/, '')));
  const sources = modules.filter(({ module }) => !module.startsWith(PROBLEM_MODULES) || imported.has(module));
  const needed = pruneTheorems(
    sources,
    [...proofs, ...grown].map((proof) => `${proof.statement}\n${proof.proof}`),
  );
  const carried = needed
    .map(({ module, text }) => ({ module, text: withoutImports(text) }))
    .filter(({ text }) => text !== '')
    .map(({ module, text }) => `/-! # ${module} -/\n\n${text}\n`);
  return [
    '/- Proofs found by self-play, with the definitions and theorems that they use. Written by a machine. -/',
    ...carried,
    ...grownSection(grown),
    keptSection(proofs, proofs.map(keptName)),
  ].join('\n');
}

/** The file that certificates are made from: the same theorems over the compiled library. */
export function certificateFile(proofs: readonly Proved[], library: readonly GrownRecord[] = []): string {
  const grown = neededTheorems(proofs, library);
  return [
    ...importLines([...proofs, ...grown]),
    ...grownSection(grown),
    keptSection(proofs, proofs.map(keptName)),
  ].join('\n');
}

/**
 * What the certificate's further checkers compare that file with: each theorem as our record states it, and the same file
 * with no proof of theirs in it.
 */
export function certificateTask(proofs: readonly Proved[], library: readonly GrownRecord[] = []): CertificateTask {
  const unproved = proofs.map((proof) => ({ ...proof, proof: null }));
  const grown = neededTheorems(proofs, library);
  const names = proofs.map((proof) => keptName(proof));
  const theorems = [...grown, ...proofs.map((proof, index) => ({ ...proof, name: names[index]! }))];
  return {
    stated: theorems.map(({ name, header, statement }) => ({
      name,
      opens: openLines(header),
      signature: signatureOf(statement),
    })),
    importLines: importLines([...proofs, ...grown]),
    challenge: [...importLines([...proofs, ...grown]), ...grownSection(grown), keptSection(unproved, names)].join('\n'),
  };
}

/**
 * Grown theorems that the proofs name, and those that their own proofs name, in order of growth. A theorem names only
 * ones that grew before it, so in this order each stands below all that it needs.
 */
function neededTheorems(proofs: readonly Proved[], library: readonly GrownRecord[]): GrownRecord[] {
  const needed = new Set(proofs.flatMap((proof) => proof.premises));
  const found: GrownRecord[] = [];
  for (const theorem of library.toReversed())
    if (needed.has(theorem.name)) {
      found.push(theorem);
      for (const premise of theorem.premises) needed.add(premise);
    }
  return found.toReversed();
}

/** What the headers import, once each, sorted. */
function importLines(proofs: readonly { readonly header: string | null }[]): string[] {
  const lines = proofs.flatMap((proof) => headerOf(proof.header).match(IMPORT_LINE) ?? []);
  return [...new Set(lines.map((line) => line.trim()))].sort();
}

const NO_AUTO_BOUND = 'set_option autoImplicit false\n';

function grownSection(theorems: readonly GrownRecord[]): string[] {
  if (theorems.length === 0) return [];
  const grown = theorems.map((theorem) => {
    const text = theoremText(theorem.name.slice(GROWN_NAMESPACE.length + 1), theorem);
    return `section\n${openLines(theorem.header)}\n-- conjecture, round ${theorem.round}\n${text}\nend\n`;
  });
  return [`namespace ${GROWN_NAMESPACE}\n\n${NO_AUTO_BOUND}`, ...grown, `end ${GROWN_NAMESPACE}\n`];
}

/** A proof of null is left open. */
type Kept = Omit<Proved, 'proof'> & { readonly proof: string | null };

function keptSection(proofs: readonly Kept[], names: readonly string[]): string {
  const kept = proofs.map((proof, index) => {
    const local = names[index]!.slice(NAMESPACE.length + 1);
    const usesGrown = proof.premises.some((premise) => premise.startsWith(`${GROWN_NAMESPACE}.`));
    const opens = usesGrown ? `${openLines(proof.header)}\nopen ${GROWN_NAMESPACE}` : openLines(proof.header);
    const origin = `-- ${proof.origin}, round ${proof.round}, pass rate ${proof.passRate.toFixed(3)}, model ${proof.model}`;
    return `section\n${opens}\n${origin}\n${theoremText(local, proof)}\nend\n`;
  });
  return [`namespace ${NAMESPACE}\n\n${NO_AUTO_BOUND}`, ...kept, `end ${NAMESPACE}\n`].join('\n');
}
