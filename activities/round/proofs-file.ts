/**
 * Writes the Lean file of kept proofs for people. It contains every definition and theorem that it uses, so plain
 * `lean` checks it on any machine.
 */

import { contentId } from '@stp/config/ids';
import type { Proved } from '@stp/config/records';
import { type LeanSource, pruneTheorems } from '@stp/lean-explore';
import { ownDefinitions } from '@stp/lean-text';
import {
  foreignLines,
  GROWN_NAMESPACE,
  grownSection,
  importLines,
  KEPT_NAMESPACE,
  keptSection,
  neededTheorems,
  type ProofText,
  splitImports,
} from '@stp/lean-verifier';
import type { GrownRecord } from './library.ts';

/** Returns the theorem's fully qualified name in the file, unique for each (statement, proof). */
export function keptName(proof: Proved): string {
  const slug = proof.name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, 't');
  return `${KEPT_NAMESPACE}.${slug}_${contentId(proof.statementId, proof.proof).slice(0, 8)}`;
}

/** Returns the proof as files contain it, with a comment on its origin. */
export function keptText(proof: Proved): ProofText {
  const { header, statement, premises, certificate, origin, round, passRate, model } = proof;
  const { restsOn } = certificate;
  const note = `${origin}, round ${round}, pass rate ${passRate.toFixed(3)}, model ${model}`;
  return { name: keptName(proof), header, statement, proof: proof.proof, premises, restsOn, note };
}

const FIRST_LINE =
  '/- Proofs found by self-play, with the definitions and theorems that they use. Written by a machine. -/';

/** Modules of problem sets. The file includes only those that a proof's own header imports. */
const PROBLEM_MODULES = 'Stp.Problems.';

/**
 * Contains the definitions of all modules, and those of the modules' theorems and grown theorems that the proofs need,
 * as `neededTheorems` determines. Proofs over another library, all with the same imports (`proofsByFile`), come below
 * these imports instead of the modules.
 *
 * @param library the run's grown theorems, in order of growth
 * @param short full names of proofs and grown theorems that need more than their objects mention
 */
export function proofsFile(
  modules: readonly LeanSource[],
  proofs: readonly Proved[],
  library: readonly GrownRecord[] = [],
  short: ReadonlySet<string> = new Set(),
): string {
  const withAll = <Named extends { readonly name: string }>(one: Named): Named =>
    short.has(one.name) ? { ...one, restsOn: undefined } : one;
  const kept = proofs.map((proof) => withAll(keptText(proof)));
  const grown = neededTheorems(kept, library.map(withAll));
  const imports = importLines([...kept, ...grown]);
  const imported = new Set(imports.map((line) => line.replace(/^import\s+/, '')));
  const foreign = foreignLines([...kept, ...grown]);
  // If all proofs are over another library, ours is not needed.
  const isOurs = foreign.length === 0 || imported.size > foreign.length;
  const sources = modules.filter(
    ({ module }) => isOurs && (!module.startsWith(PROBLEM_MODULES) || imported.has(module)),
  );
  const needed = pruneTheorems(
    sources,
    [...kept, ...grown].map(({ header, statement, proof }) =>
      [...ownDefinitions(header).map(({ text }) => text), statement, proof].join('\n'),
    ),
  );
  const carried = needed
    .map(({ module, text }) => ({ module, text: splitImports(text).rest }))
    .filter(({ text }) => text !== '')
    .map(({ module, text }) => `/-! # ${module} -/\n\n${text}\n`);
  return [FIRST_LINE, ...foreign, ...carried, ...grownSection(grown, kept), keptSection(kept)].join('\n');
}

const THEOREM = /^theorem (?:_root_\.Kept\.)?([^\s.:({[]+)/u;

/** Returns the full names of the grown theorems and proofs of a file that contain these lines (from 1). */
export function theoremsAt(text: string, lines: readonly number[]): ReadonlySet<string> {
  const sections = [`namespace ${GROWN_NAMESPACE}`, `namespace ${KEPT_NAMESPACE}`];
  let namespace: string | null = null;
  let name: string | null = null;
  const at = text.split('\n').map((line) => {
    if (sections.includes(line)) namespace = line.slice('namespace '.length);
    const theorem = THEOREM.exec(line)?.[1];
    if (theorem !== undefined) name = theorem;
    return namespace === null || name === null ? null : `${namespace}.${name}`;
  });
  return new Set(lines.flatMap((line) => at[line - 1] ?? []));
}
