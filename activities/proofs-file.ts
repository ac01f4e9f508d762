/**
 * One Lean file that holds proofs with everything they stand on: the library's and the problem sets' modules first, then
 * the proofs. It needs no import but core Lean's own, so plain `lean` checks it on any machine.
 */
import { contentId } from '../data/schemas/ids.ts';
import type { Proved } from '../data/schemas/records.ts';
import { LIBRARY_HEADER } from '../lean/library/header.ts';
import type { SourceText } from './ports.ts';

const NAMESPACE = 'Kept';

/** Name the theorem has in the file, fully qualified; one for every (statement, proof). */
export function keptName(proof: Proved): string {
  const slug = proof.name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, 't');
  return `${NAMESPACE}.${slug}_${contentId(proof.statementId, proof.proof).slice(0, 8)}`;
}

const withoutImports = (text: string): string => text.replaceAll(/^[ \t]*(?:public\s+)?import[ \t].*$/gm, '').trim();

/** Lines of a header other than its imports, which the file carries in full. */
function openLines(header: string | null): string {
  return withoutImports(header ?? LIBRARY_HEADER).replaceAll(/\n{2,}/g, '\n');
}

export function proofsFile(modules: readonly SourceText[], proofs: readonly Proved[]): string {
  const library = modules
    .map(({ module, text }) => `/-! # ${module} -/\n\n${withoutImports(text)}\n`)
    .filter((text) => text !== '');
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
  return [
    '/- Proofs found by self-play, with the definitions and theorems that they use. Written by a machine. -/',
    ...library,
    `namespace ${NAMESPACE}\n\nset_option autoImplicit false\n`,
    ...kept,
    `end ${NAMESPACE}\n`,
  ].join('\n');
}
