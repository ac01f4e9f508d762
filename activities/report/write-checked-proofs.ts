/**
 * Writes `proofs.lean`, the file of a run's kept proofs, only if Lean accepts every theorem in it, as a reader's own
 * check would. Theorems that exceed the limits of one check go into further files, each checked by itself.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import type { ArtifactRef, Proved } from '@stp/config/records';
import { FILE_BYTES_MAX, FILE_TIMEOUT_MS, type FileReport, proofsByFile } from '@stp/lean-verifier';
import type { DataSources, FileCheck, RunScratch, RunStore, VerificationLimits } from '../ports.ts';
import type { GrownRecord } from '../round/library.ts';
import { keptName, proofsFile, theoremsAt } from '../round/proofs-file.ts';

/** Leaves a quarter for the line that names the file, and for additions by an editor. */
const TEXT_BYTES_MAX = 0.75 * FILE_BYTES_MAX;
/**
 * Limit on a file's estimated check, ms, from the times of trials. It is a fifth of the timeout, since another machine
 * may be slower and the carried theorems take time too.
 */
const CHECK_MS_MAX = 0.2 * FILE_TIMEOUT_MS;
/** If a greater share of the proofs would be left out, single proofs are not the cause. */
const LEFT_OUT_SHARE_MAX = 0.1;

export interface KeptProofs {
  readonly run: string;
  /** One proof for each statement, in the order of the file. */
  readonly kept: readonly Proved[];
  /** The run's grown theorems, in order of growth. */
  readonly library: readonly GrownRecord[];
  readonly limits: VerificationLimits;
}

/**
 * Stores the proofs and returns `proofs.lean`, whose count is the number of proofs in it. It holds some thousand
 * proofs, and plain `lean proofs.lean` accepts it.
 *
 * Further proofs go into `proofs-2.lean`, `proofs-3.lean` and so on. Each proof is in one file, and each file contains
 * everything that its proofs need, so plain `lean` accepts each file. Files are cut by size and by the time that the
 * proofs' checks took, and cut again if Lean exceeds time or memory. Proofs below a list of imports that begins with
 * `prelude` are in files of their own.
 *
 * A proof may hold over compiled lemmas but not in one file with them. It is tried again below all marked lemmas, then
 * left out. Nothing is stored before all files are accepted (STP1203, retryable if Lean gave no verdict on a file).
 */
export async function writeCheckedProofs(
  ports: RunStore & RunScratch & FileCheck & DataSources<'modules'>,
  proofs: KeptProofs,
  signal: AbortSignal,
): Promise<ArtifactRef> {
  const modules = await ports.sources.modules();
  /** Names of proofs that need more than the grown theorems that they rest on. */
  const short = new Set<string>();
  const left: Proved[] = [];
  const textOf = (part: readonly Proved[]): string => proofsFile(modules, part, proofs.library, short);
  const directory = join(await ports.scratch(proofs.run), `report-${process.pid}`);
  await mkdir(directory, { recursive: true });
  const pathOf = (index: number): string => join(directory, `Proofs${index + 1}.lean`);
  try {
    const groups = proofs.kept.length === 0 ? [[]] : proofsByFile(proofs.kept);
    const parts = groups.flatMap((group) => cut(group, textOf));
    let proofsMax = Number.POSITIVE_INFINITY;
    for (let index = 0; index < parts.length; ) {
      signal.throwIfAborted();
      const part = parts[index]!;
      if (part.length > proofsMax) {
        parts.splice(index, 1, ...halvesOf(part));
        continue;
      }
      const text = parts.length === 1 ? textOf(part) : `${partLine(index)}\n${textOf(part)}`;
      await writeFile(pathOf(index), text);
      const report = await ports.checkFile(proofs.run, pathOf(index), proofs.limits, signal);
      const refused = refusedOf(report, part);
      if (refused.length === 0) index++;
      else if (isCutOff(report) && part.length > 1) proofsMax = Math.ceil(part.length / 2);
      else {
        const suspects = suspectsIn(report, text);
        const unfit = part.filter((proof) => suspects.has(keptName(proof)) && short.has(keptName(proof)));
        const isNew = [...suspects].some((name) => !short.has(name));
        left.push(...unfit);
        const isDefect = unfit.length === 0 ? !isNew : left.length > LEFT_OUT_SHARE_MAX * proofs.kept.length;
        if (isDefect) throw notAccepted(report, nameOf(index), refused);
        for (const name of suspects) short.add(name);
        const rest = part.filter((proof) => !unfit.includes(proof));
        parts.splice(index, 1, ...cut(rest, textOf));
      }
    }
    if (left.length > 0) console.warn(leftOut(left));
    const store = await ports.store(proofs.run);
    const files: ArtifactRef[] = [];
    for (const [index, part] of parts.entries())
      files.push(await store.putFile(nameOf(index), pathOf(index), { count: part.length, signal }));
    return files[0]!;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const nameOf = (index: number): string => (index === 0 ? 'proofs.lean' : `proofs-${index + 1}.lean`);

function partLine(index: number): string {
  const of = index === 0 ? `goes on in ${nameOf(1)}` : `began in ${nameOf(0)}`;
  return `/- File ${index + 1} of the proofs of one run, which ${of}; each file can be checked by itself. -/`;
}

/** Halves the proofs until each part fits or is a single proof. No part is empty, except when there are no proofs. */
function cut(proofs: readonly Proved[], textOf: (part: readonly Proved[]) => string): (readonly Proved[])[] {
  if (proofs.length < 2 || fits(proofs, textOf)) return [proofs];
  return halvesOf(proofs).flatMap((half) => cut(half, textOf));
}

function halvesOf(proofs: readonly Proved[]): (readonly Proved[])[] {
  const half = Math.ceil(proofs.length / 2);
  return [proofs.slice(0, half), proofs.slice(half)];
}

/** Makes the text last, because the text of all proofs of a large run would fill the memory. */
function fits(proofs: readonly Proved[], textOf: (part: readonly Proved[]) => string): boolean {
  let checkMs = 0;
  let characters = 0;
  for (const proof of proofs) {
    checkMs += proof.checkMs;
    characters += proof.statement.length + proof.proof.length;
  }
  return checkMs <= CHECK_MS_MAX && characters <= TEXT_BYTES_MAX && Buffer.byteLength(textOf(proofs)) <= TEXT_BYTES_MAX;
}

/** Did Lean start but not finish? Fewer proofs may fit. */
const isCutOff = ({ exit }: FileReport): boolean => exit === 'memory' || exit === 'deadline' || exit === 'crashed';

function refusedOf({ theorems }: FileReport, part: readonly Proved[]): readonly Proved[] {
  const accepted = new Set(theorems.filter(({ verdict }) => verdict === 'accepted').map(({ name }) => name));
  return part.filter((proof) => !accepted.has(keptName(proof)));
}

/**
 * Returns the theorems where Lean reports errors, or those not accepted in a file that was compiled. It only decides
 * what is tried again.
 */
function suspectsIn({ messages, theorems }: FileReport, text: string): ReadonlySet<string> {
  const unfit = theorems.filter(({ verdict }) => verdict === 'rejected').map(({ name }) => name);
  const errors = messages.filter(({ severity }) => severity === 'error').map(({ line }) => line);
  return new Set([...unfit, ...theoremsAt(text, errors)]);
}

function leftOut(left: readonly Proved[]): string {
  return `proofs.lean is without ${left.length} proof(s) that hold over compiled lemmas and not in one file with them: ${left.map(keptName).join(', ')}`;
}

function notAccepted({ outcome, theorems, reason }: FileReport, name: string, refused: readonly Proved[]): StpError {
  const first = keptName(refused[0]!);
  return new StpError(
    'STP1203',
    `${refused.length} certified theorem(s) do not hold in ${name}, the first being ${first}: ` +
      (theorems.find((theorem) => theorem.name === first)?.message ?? reason),
    'If Lean could be run, this is a defect of the checker or of the file writer: please report it with the run folder.',
    { retryable: outcome === 'unchecked' && theorems.length === 0 },
  );
}
