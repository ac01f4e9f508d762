/** Certificates for the proofs that are kept. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StpError } from '../data/errors.ts';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import { contentId } from '../data/schemas/ids.ts';
import { type Proved, provedSchema } from '../data/schemas/records.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';
import type { FileReport } from '../lean/check-file.ts';
import { SECOND_KERNEL } from '../lean/object/findings.ts';
import { cutShards } from '../selfplay/shards.ts';
import { certificateOf, sha256 } from './certificate.ts';
import { withHeartbeat } from './edge.ts';
import { type GrownRecord, grownTheorems } from './library.ts';
import type { Ports } from './ports.ts';
import { certificateFile, certificateTask, keptName } from './proofs-file.ts';
import { once, readRecords, writeRecords } from './record-files.ts';

export const certifiedSchema = z.strictObject({
  proved: artifactRefSchema,
  certified: z.number().int(),
  refused: z.number().int(),
  /** Of those refused, the proofs that Lean's kernel takes and the second one does not; missing in older ones. */
  disagreements: z.number().int().optional(),
});
export type Certified = z.infer<typeof certifiedSchema>;

export interface CertifyInput {
  readonly run: string;
  readonly name: string;
  readonly proved: ArtifactRef;
  /** Grown theorems that the proofs may name; null: none. */
  readonly library: ArtifactRef | null;
  readonly config: Pick<RunConfig, 'verification'>;
}

/**
 * Proofs certified in one file: small enough to bound a process, large enough to share its start. A file that is done is
 * not done again by a second attempt.
 */
export const CERTIFICATE_BATCH = 300;

export function verifyActivities(ports: Ports) {
  return {
    /**
     * Certificates: the proofs stand in a file of their own, as they will in `proofs.lean`, are compiled by one fresh
     * process, another reads which axioms the compiled theorems rest on, a third compares them with our record of the
     * statements, and every further checker that this machine has looks at the module. What any of them refuses is not
     * rewarded.
     */
    async certify(input: CertifyInput): Promise<Certified> {
      const { run } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/certified.json`, certifiedSchema, () =>
        withHeartbeat(async (signal, report) => {
          const directory = join(await ports.scratch(run), `certify-${contentId(input.name)}-${process.pid}`);
          await mkdir(directory, { recursive: true });
          const library = await Array.fromAsync(grownTheorems(store, input.library));
          const certifyPart = (batch: readonly Proved[], index: number): Promise<Certified> => {
            const part = `${input.name}/certificates/${String(index).padStart(5, '0')}`;
            return once(store, `${part}.json`, certifiedSchema, async () => {
              const file = join(directory, `Certificate${index}`);
              const { certified, disagreements } = await certifyBatch(input, ports, file, batch, library, signal);
              return {
                proved: await writeRecords(store, `${part}-*.jsonl`, certified, signal),
                certified: certified.length,
                refused: batch.length - certified.length,
                disagreements,
              };
            });
          };
          const parts: Certified[] = [];
          const batches = batchesOf(readRecords(store, input.proved, provedSchema), CERTIFICATE_BATCH);
          try {
            await inLanes(batches, input.config.verification.processes, async ({ index, proofs }) => {
              signal.throwIfAborted();
              parts[index] = await certifyPart(proofs, index);
              report({ certified: sum(parts, 'certified'), refused: sum(parts, 'refused'), of: input.proved.count });
            });
          } finally {
            await rm(directory, { recursive: true, force: true });
          }
          return joinCertified(store, input.name, parts, signal);
        }),
      );
    },
  };
}

/** Parts as one, in order: what holds in a file of its own under `name`, the counts summed. */
export async function joinCertified(
  store: ObjectStore,
  name: string,
  parts: readonly Certified[],
  signal: AbortSignal,
): Promise<Certified> {
  async function* all(): AsyncGenerator<Proved> {
    for (const part of parts) yield* readRecords(store, part.proved, provedSchema);
  }
  return {
    proved: await writeRecords(store, `${name}/proved-*.jsonl`, all(), signal),
    certified: sum(parts, 'certified'),
    refused: sum(parts, 'refused'),
    disagreements: sum(parts, 'disagreements'),
  };
}

/** Of the parts so far; with several lanes a later one may be there before an earlier one. */
const sum = (parts: readonly Certified[], what: 'certified' | 'refused' | 'disagreements'): number =>
  parts.reduce((total, part) => total + (part[what] ?? 0), 0);

/**
 * Works on items as they come, at most `lanes` at once. Waits for all that was begun, also when one fails: nobody works
 * on behind the back of the attempt that comes next.
 */
async function inLanes<T>(items: AsyncGenerator<T>, lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  let failed = false;
  const lane = async (): Promise<void> => {
    try {
      for (let next = await items.next(); !next.done && !failed; next = await items.next()) await work(next.value);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
  await items.return(undefined);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

interface Batch {
  readonly index: number;
  readonly proofs: Proved[];
}

async function* batchesOf(proofs: AsyncIterable<Proved>, size: number): AsyncGenerator<Batch> {
  let batch: Batch = { index: 0, proofs: [] };
  for await (const proof of proofs) {
    batch.proofs.push(proof);
    if (batch.proofs.length < size) continue;
    yield batch;
    batch = { index: batch.index + 1, proofs: [] };
  }
  if (batch.proofs.length > 0) yield batch;
}

interface CertifiedBatch {
  readonly certified: readonly Proved[];
  /** Proofs that the second kernel refuses. */
  readonly disagreements: number;
}

/**
 * The proofs of a batch that hold. One that does not spoils the module for the others, and one that makes Lean run on, or
 * the file too large, leaves no module at all; nobody can judge the others then. They are tried again in halves, a single
 * one once more by itself. One that has no verdict alone either is refused, but only where Lean judges a
 * control in its place.
 */
async function certifyBatch(
  input: CertifyInput,
  ports: Ports,
  name: string,
  batch: readonly Proved[],
  library: readonly GrownRecord[],
  signal: AbortSignal,
): Promise<CertifiedBatch> {
  const check = async (proofs: readonly Proved[], path: string): Promise<FileReport> => {
    await writeFile(path, certificateFile(proofs, library));
    const task = certificateTask(proofs, library);
    const report = await ports.checkFile(input.run, path, input.config.verification, signal, task);
    if (report.exit === 'not-started') throw noVerdict(batch.length, report.reason);
    return report;
  };
  const report = await check(batch, `${name}.lean`);
  const judged = new Map(report.theorems.map((theorem) => [theorem.name, theorem]));
  const fileHash = sha256(certificateFile(batch, library));
  // A certificate tells of a file in which nothing was objected to: what stands beside a refused proof is checked anew.
  const isClean = report.checks.every(({ outcome }) => outcome !== 'refused' && outcome !== 'failed');
  const certified = batch.flatMap((proof): Proved[] => {
    const theorem = judged.get(keptName(proof));
    if (theorem?.verdict !== 'accepted' || !isClean) return [];
    return [{ ...proof, certificate: certificateOf(proof, report, theorem, fileHash) }];
  });
  const open = batch.filter((proof) => {
    const verdict = judged.get(keptName(proof))?.verdict ?? 'unchecked';
    return verdict === 'unchecked' || (verdict === 'accepted' && !isClean);
  });
  // What a module is refused for without a theorem's name is one proof's fault where that stands alone in it.
  const disagreements = report.theorems.filter(
    ({ verdict, refusedBy = [] }) =>
      refusedBy.includes(SECOND_KERNEL.name) && (verdict === 'rejected' || batch.length === 1),
  ).length;
  if (open.length === 0) return { certified, disagreements };
  if (batch.length === 1) {
    const control = controlFor(batch[0]!);
    const other = await check([control], `${name}_control.lean`);
    const ofControl = other.theorems.find((one) => one.name === keptName(control));
    if (ofControl?.verdict !== 'accepted')
      throw noVerdict(1, report.reason || other.reason || ofControl?.message || 'the file has errors elsewhere');
    return { certified: [], disagreements };
  }
  const parts = open.length < batch.length ? [open] : cutShards(open, Math.ceil(open.length / 2));
  const done: CertifiedBatch[] = [{ certified, disagreements }];
  for (const [index, part] of parts.entries())
    done.push(await certifyBatch(input, ports, `${name}_${index}`, part, library, signal));
  return {
    certified: done.flatMap((one) => one.certified),
    disagreements: done.reduce((total, one) => total + one.disagreements, 0),
  };
}

/**
 * What nobody can doubt, in the place of a proof: with the same imports and grown theorems. Where Lean accepts it, the
 * proof is to blame for having no verdict; where not, Lean is (STP1203, retried), and nothing is refused.
 */
function controlFor(proof: Proved): Proved {
  return { ...proof, name: 'control', statement: 'theorem control : True', proof: 'exact True.intro' };
}

function noVerdict(proofs: number, reason: string): StpError {
  return new StpError(
    'STP1203',
    `Lean gave no verdict on ${proofs} proof(s): ${reason}`,
    'See `bin/stp doctor`; then retry the round.',
    { retryable: true },
  );
}
