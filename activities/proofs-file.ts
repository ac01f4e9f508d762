/**
 * Lean files that hold kept proofs: one that carries everything it stands on, so that plain `lean` checks it on any
 * machine, and one over the compiled library, which checks in a second.
 */
import { contentId } from '../data/schemas/ids.ts';
import type { Proved } from '../data/schemas/records.ts';
import { LIBRARY_HEADER } from '../lean/library/header.ts';
import { type LeanSource, pruneTheorems } from '../lean/library/prune.ts';

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
  return withoutImports(header ?? LIBRARY_HEADER).replaceAll(/\n{2,}/g, '\n');
}

/**
 * The file that people get: it carries the definitions of all modules and those of their theorems that the proofs need.
 */
export function proofsFile(modules: readonly LeanSource[], proofs: readonly Proved[]): string {
  const imported = new Set(importLines(proofs).map((line) => line.replace(/^import\s+/, '')));
  const sources = modules.filter(({ module }) => !module.startsWith(PROBLEM_MODULES) || imported.has(module));
  const needed = pruneTheorems(
    sources,
    proofs.map((proof) => `${proof.statement}\n${proof.proof}`),
  );
  const library = needed
    .map(({ module, text }) => ({ module, text: withoutImports(text) }))
    .filter(({ text }) => text !== '')
    .map(({ module, text }) => `/-! # ${module} -/\n\n${text}\n`);
  return [
    '/- Proofs found by self-play, with the definitions and theorems that they use. Written by a machine. -/',
    ...library,
    keptSection(proofs),
  ].join('\n');
}

/** The file that certificates are made from: the same theorems over the compiled library. */
export function certificateFile(proofs: readonly Proved[]): string {
  return [...importLines(proofs), keptSection(proofs)].join('\n');
}

/** What the headers of the proofs import, once each, sorted. */
function importLines(proofs: readonly Proved[]): string[] {
  const lines = proofs.flatMap((proof) => (proof.header ?? LIBRARY_HEADER).match(IMPORT_LINE) ?? []);
  return [...new Set(lines.map((line) => line.trim()))].sort();
}

function keptSection(proofs: readonly Proved[]): string {
  const kept = proofs.map((proof) => {
    const local = keptName(proof).slice(NAMESPACE.length + 1);
    const signature = proof.statement.replace(/^\s*(?:theorem|lemma)\s+[^\s:({[⦃]+/u, `theorem ${local}`);
    const body = proof.proof
      .split('\n')
      .map((line) => (line === '' ? '' : `  ${line}`))
      .join('\n');
    const origin = `-- ${proof.origin}, round ${proof.round}, pass rate ${proof.passRate.toFixed(3)}, model ${proof.model}`;
    return `section\n${openLines(proof.header)}\n${origin}\n${signature} := by\n${body}\nend\n`;
  });
  return [`namespace ${NAMESPACE}\n\nset_option autoImplicit false\n`, ...kept, `end ${NAMESPACE}\n`].join('\n');
}
