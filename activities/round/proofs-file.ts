/**
 * The Lean file of kept proofs for people: it contains every definition and theorem it uses, so plain `lean` checks it
 * on any machine.
 */

import { contentId } from '@stp/config/ids';
import type { Proved } from '@stp/config/records';
import { type LeanSource, pruneTheorems } from '@stp/lean-explore';
import { ownDefinitions } from '@stp/lean-text';
import {
  foreignLines,
  grownSection,
  importLines,
  KEPT_NAMESPACE,
  keptSection,
  type Lemmas,
  neededTheorems,
  type ProofText,
  splitImports,
} from '@stp/lean-verifier';
import type { GrownRecord } from './library.ts';

/** Name the theorem has in the file, fully qualified; one for every (statement, proof). */
export function keptName(proof: Proved): string {
  const slug = proof.name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, 't');
  return `${KEPT_NAMESPACE}.${slug}_${contentId(proof.statementId, proof.proof).slice(0, 8)}`;
}

/** The proof as it stands in files, with a word on where it came from. */
export function keptText(proof: Proved): ProofText {
  const { header, statement, premises, restsOn, origin, round, passRate, model } = proof;
  const note = `${origin}, round ${round}, pass rate ${passRate.toFixed(3)}, model ${model}`;
  return { name: keptName(proof), header, statement, proof: proof.proof, premises, restsOn, note };
}

/** Modules of problem sets: the file includes only those that a proof's own header imports. */
const PROBLEM_MODULES = 'Stp.Problems.';

/**
 * It carries the definitions of all modules and those of their theorems that the proofs need, and the grown theorems that they
 * need, as `neededTheorems` says.
 *
 * @param library the run's grown theorems, in order of growth
 */
export function proofsFile(
  modules: readonly LeanSource[],
  proofs: readonly Proved[],
  library: readonly GrownRecord[] = [],
  lemmas: Lemmas = 'marked',
): string {
  const grown = neededTheorems(proofs, library, lemmas);
  const imported = new Set(importLines([...proofs, ...grown]).map((line) => line.replace(/^import\s+/, '')));
  const foreign = foreignLines([...proofs, ...grown]);
  // Statements of another library alone are read without ours.
  const isOurs = foreign.length === 0 || imported.size > foreign.length;
  const sources = modules.filter(
    ({ module }) => isOurs && (!module.startsWith(PROBLEM_MODULES) || imported.has(module)),
  );
  const needed = pruneTheorems(
    sources,
    [...proofs, ...grown].map(({ header, statement, proof }) =>
      [...ownDefinitions(header).map(({ text }) => text), statement, proof].join('\n'),
    ),
  );
  const carried = needed
    .map(({ module, text }) => ({ module, text: splitImports(text).rest }))
    .filter(({ text }) => text !== '')
    .map(({ module, text }) => `/-! # ${module} -/\n\n${text}\n`);
  return [
    ...foreign,
    '/- Proofs found by self-play, with the definitions and theorems that they use. Written by a machine. -/',
    ...carried,
    ...grownSection(grown, proofs),
    keptSection(proofs.map(keptText)),
  ].join('\n');
}
