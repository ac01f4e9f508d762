/** Makes SFT sets beside a project's problem set: the proofs of its sources, and the next tactics of their traces. */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative, sep } from 'node:path';
import { readLines } from '@stp/base/files';
import { type Statement, statementSchema } from '@stp/config/records';
import { declaredNames, openFilePositions, type WrittenProof, writtenProofs } from '@stp/lean-explore';
import { LIBRARY_HEADER, MEMORY_BYTES_MAX, openVerifier } from '@stp/lean-verifier';
import { type PreparedProofs, projectProofs } from '../../activities/sft/project-proofs.ts';
import type { LeanSetup } from '../shared/lean-setup.ts';

/** Lean's default limit for a declaration. */
const HEARTBEATS_MAX = 200_000;

export interface ProofsTarget {
  readonly name: string;
  /** Data folder. */
  readonly data: string;
  readonly seed: number;
  readonly replace: boolean;
}

/** `set` is the folder of the project's problem set. A module without a source file has no proofs. */
export async function prepareProjectProofs(
  project: string,
  set: string,
  { name, data, seed, replace }: ProofsTarget,
  { environment, sandbox, scratch, indexFolder, onDisagreement }: LeanSetup,
  signal: AbortSignal,
): Promise<PreparedProofs> {
  const statements: Statement[] = [];
  for await (const { text } of readLines(join(set, 'statements.jsonl')))
    statements.push(statementSchema.parse(JSON.parse(text)));
  const modules = [...new Set(statements.map(({ labels }) => labels.at(-1)!))];
  const proofs = await proofsIn(project, modules);
  const positions = openFilePositions({
    environment,
    sandbox,
    workingDirectory: scratch.directory,
    runMark: scratch.runMark,
    memoryBytesMax: MEMORY_BYTES_MAX,
    heartbeatsMax: HEARTBEATS_MAX,
  });
  const verifier = await openVerifier({
    environment,
    sandbox,
    indexFolder,
    onDisagreement,
    runMark: scratch.runMark,
    scratchDirectory: scratch.directory,
    libraryHeader: LIBRARY_HEADER,
    processes: availableParallelism(),
    cacheDirectory: null,
  });
  try {
    return await projectProofs({
      name,
      seed,
      replace,
      statements,
      proofs,
      verifier,
      positions,
      signal,
      folderOf: (one) => join(data, 'SFT', one),
    });
  } finally {
    await positions.close();
    await verifier.close();
  }
}

/** Returns proofs by theorem name, from the modules whose source is in the project's folder. */
async function proofsIn(
  project: string,
  modules: readonly string[],
): Promise<ReadonlyMap<string, WrittenProof & { readonly file: string }>> {
  const sources: { readonly file: string; readonly text: string }[] = [];
  for (const module of modules) {
    const path = `${join(project, ...module.split('.'))}.lean`;
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) sources.push({ file: relative(project, path).split(sep).join('/'), text });
  }
  const names = new Set(sources.flatMap(({ text }) => declaredNames(text)));
  return new Map(
    sources.flatMap(({ file, text }) =>
      [...writtenProofs(text, names)].map((one) => [one.name, { ...one, file }] as const),
    ),
  );
}

export function describedProofs({ proofs, steps, counts }: PreparedProofs): string {
  const { traced, holdingBelowHeader, withoutProof, untraced } = counts;
  return [
    `SFT sets of the project's sources: ${proofs.name} with ${proofs.counts.proverExamples} proofs, ${steps.name} with ${steps.counts.stateExamples} next tactics; ${proofs.counts.heldOutTheorems} theorems are held out, as in the problem set`,
    `  ${holdingBelowHeader} of the ${traced} proofs hold below the set's headers as well; the others use theorems above them in their file`,
    `  ${withoutProof} statements have no proof in the sources, ${untraced} proofs could not be traced`,
    `A run takes them with --set data.sft=${proofs.name} --set prover.slots=false, or --set data.sft=${steps.name} --set prover.slots=false --set prover.mode=steps.`,
  ].join('\n');
}
