/** Certifies the proofs that a round or an evaluation found. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrently } from '@stp/base';
import type { RunConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import { type ArtifactRef, type Proved, provedSchema } from '@stp/config/records';
import { type CheckProofs, certifyProofs } from '@stp/lean-verifier';
import { withHeartbeat } from '../edge.ts';
import type { FileCheck, RunScratch, RunStore } from '../ports.ts';
import { batchesOf } from '../records/batches.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { certificateOf } from '../round/certificate-record.ts';
import { type Certified, certifiedSchema, joinCertified, sum } from '../round/certified.ts';
import { grownTheorems } from '../round/library.ts';
import { keptText } from '../round/proofs-file.ts';

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
const CERTIFICATE_BATCH = 300;

export function certifyActivity(ports: RunStore & RunScratch & FileCheck) {
  return {
    /**
     * Certificates: the proofs stand in a file of their own, as they will in `proofs.lean`. One fresh process compiles
     * them, another compiles our record of the statements, and a thread reads both objects, the second kernel included.
     * Then every further checker that this machine has looks at the module. What any of them refuses is not rewarded.
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
              const path = join(directory, `Certificate${index}.lean`);
              const check: CheckProofs = async (text, task) => {
                await writeFile(path, text);
                return ports.checkFile(run, path, input.config.verification, signal, task);
              };
              const findings = await certifyProofs(batch.map(keptText), check, library);
              const certified = batch.flatMap((proof, at): Proved[] => {
                const finding = findings[at]!;
                if (!finding.certified) return [];
                // What its object mentions was not enough for it: a later file is not tried with that alone.
                const known = finding.lemmas === 'marked' ? { ...proof, restsOn: undefined } : proof;
                return [{ ...known, certificate: certificateOf(proof, finding) }];
              });
              return {
                proved: await writeRecords(store, `${part}-*.jsonl`, certified, signal),
                certified: certified.length,
                refused: batch.length - certified.length,
                disagreements: findings.filter((finding) => !finding.certified && finding.isDisagreement).length,
              };
            });
          };
          const parts: Certified[] = [];
          const batches = batchesOf(readRecords(store, input.proved, provedSchema), CERTIFICATE_BATCH);
          try {
            await mapConcurrently(batches, input.config.verification.processes, signal, async (proofs, _, index) => {
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
