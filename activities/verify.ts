/** Verification: verdicts for a shard's samples (the screen), certificates for the proofs that are kept. */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StpError } from '../data/errors.ts';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import { contentId } from '../data/schemas/ids.ts';
import { type Proved, provedSchema, sampleSchema, type Verdict } from '../data/schemas/records.ts';
import { type ShardResult, shardResultSchema } from '../data/schemas/round.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { Candidate } from '../lean/verifier.ts';
import { cutShards, workItemSchema } from '../selfplay/shards.ts';
import { withHeartbeat } from './edge.ts';
import type { Sampled } from './generate.ts';
import { metricsAt } from './metrics.ts';
import type { Ports } from './ports.ts';
import { certificateFile, keptName } from './proofs-file.ts';
import { once, readAll, writeRecords } from './record-files.ts';

export const certifiedSchema = z.strictObject({
  proved: artifactRefSchema,
  certified: z.number().int(),
  refused: z.number().int(),
});
export type Certified = z.infer<typeof certifiedSchema>;

export interface VerifyShardInput {
  readonly run: string;
  readonly name: string;
  readonly items: ArtifactRef;
  readonly sampled: Sampled;
  readonly config: Pick<RunConfig, 'verification'>;
}

/** Proofs certified in one file: small enough to bound a process, large enough to share its start. */
const CERTIFICATE_BATCH = 300;

export function verifyActivities(ports: Ports) {
  return {
    /** A verdict for every distinct sample. A proved canary is STP1701; too many samples without verdict STP1702. */
    async verifyShard(input: VerifyShardInput): Promise<ShardResult> {
      const { run, config, sampled } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/verified.json`, shardResultSchema, () =>
        withHeartbeat(async (signal, report) => {
          const items = new Map(
            (await readAll(store, input.items, workItemSchema)).map((item) => [item.statement.id, item]),
          );
          const samples = await readAll(store, sampled.samples, sampleSchema);
          const candidates = samples.map((sample): Candidate => {
            const { header, statement } = items.get(sample.statementId)!.statement;
            return { id: sample.id, header, statement, proof: sample.proof };
          });
          const verifier = await ports.verifier(run, config.verification);
          const started = performance.now();
          let done = 0;
          const results = await verifier.check(candidates, {
            signal,
            onResult: () => report({ verified: ++done, of: candidates.length }),
          });
          const verdicts = results.map(
            (result): Verdict => ({
              sampleId: result.id,
              kind: result.kind,
              messages: [...result.messages].slice(0, 8),
              premises: [...result.premises],
              axioms: [...result.axioms],
              checkMs: result.checkMs,
              tier: 'screen',
              leanVersion: verifier.environment.version,
            }),
          );
          const counts: Record<string, number> = {};
          const proved = new Set<string>();
          for (const [index, verdict] of verdicts.entries()) {
            const sample = samples[index]!;
            counts[verdict.kind] = (counts[verdict.kind] ?? 0) + sample.multiplicity;
            if (verdict.kind === 'proved') proved.add(sample.statementId);
          }
          const canaries = [...proved].filter((id) => items.get(id)!.origin === 'canary');
          if (canaries.length > 0)
            throw new StpError(
              'STP1701',
              `Lean accepted a proof of ${canaries.length} false statement(s): ${items.get(canaries[0]!)!.statement.name}`,
              'Trust no verdict of this run: look at the proof in the shard, then abort.',
              { facts: { shard: input.name, canaries } },
            );
          const unverified = counts.infra ?? 0;
          if (unverified > config.verification.unverifiedShareMax * Math.max(1, sampled.sampleCount))
            throw new StpError(
              'STP1702',
              `${unverified} of ${sampled.sampleCount} samples of ${input.name} have no verdict: Lean could not be run on them`,
              'See `bin/stp doctor`; then retry the round.',
              { retryable: true, facts: { unverified } },
            );
          const monitor = await ports.monitor(run);
          const seconds = (performance.now() - started) / 1_000;
          await monitor.log(
            metricsAt(input.name, 0, {
              checks: candidates.length,
              checks_per_second: candidates.length / seconds,
              from_cache: results.filter((result) => result.fromCache).length,
              proved_statements: proved.size,
            }),
          );
          return {
            items: input.items,
            parts: [
              {
                samples: sampled.samples,
                verdicts: await writeRecords(store, `${input.name}/verdicts-*.jsonl`, verdicts, signal),
              },
            ],
            sampleCount: sampled.sampleCount,
            distinctCount: sampled.distinctCount,
            tokens: sampled.tokens,
            verdictCounts: counts,
            provedStatements: proved.size,
          };
        }),
      );
    },

    /**
     * Certificates: the proofs stand in a file of their own, as they will in `proofs.lean`, are compiled by one fresh
     * process, and another reads which axioms the compiled theorems rest on. What that refuses is not rewarded.
     */
    async certify(input: { run: string; name: string; proved: ArtifactRef }): Promise<Certified> {
      const { run } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/certified.json`, certifiedSchema, () =>
        withHeartbeat(async (signal, report) => {
          const candidates = await readAll(store, input.proved, provedSchema);
          const directory = join(await ports.scratch(run), `certify-${contentId(input.name)}-${process.pid}`);
          await mkdir(directory, { recursive: true });
          const certified: Proved[] = [];
          try {
            for (const [index, batch] of cutShards(candidates, CERTIFICATE_BATCH).entries()) {
              certified.push(
                ...(await certifyBatch(ports, run, join(directory, `Certificate${index}`), batch, signal)),
              );
              report({ certified: certified.length, of: candidates.length });
            }
          } finally {
            await rm(directory, { recursive: true, force: true });
          }
          return {
            proved: await writeRecords(store, `${input.name}/proved-*.jsonl`, certified, signal),
            certified: certified.length,
            refused: candidates.length - certified.length,
          };
        }),
      );
    },
  };
}

/**
 * The proofs of a batch that hold. One that does not spoils the module for the others, which nobody can judge then: they
 * are tried again in halves, a single one once more by itself. Where no proof at all gets a verdict, Lean is to blame
 * (STP1203, retried), and nothing is refused.
 */
async function certifyBatch(
  ports: Ports,
  run: string,
  name: string,
  batch: readonly Proved[],
  signal: AbortSignal,
): Promise<Proved[]> {
  const path = `${name}.lean`;
  const text = certificateFile(batch);
  await writeFile(path, text);
  const { theorems, reason, leanVersion, fingerprint } = await ports.checkFile(run, path, signal);
  const judged = new Map(theorems.map((theorem) => [theorem.name, theorem]));
  const fileHash = createHash('sha256').update(text).digest('hex');
  const certified = batch.flatMap((proof): Proved[] => {
    const theorem = judged.get(keptName(proof));
    if (theorem?.verdict !== 'accepted') return [];
    return [{ ...proof, certificate: { leanVersion, fingerprint, fileHash, axioms: [...theorem.axioms] } }];
  });
  const open = batch.filter((proof) => (judged.get(keptName(proof))?.verdict ?? 'unchecked') === 'unchecked');
  if (theorems.length === 0)
    throw new StpError(
      'STP1203',
      `Lean gave no verdict on ${batch.length} proofs: ${reason}`,
      'See `bin/stp doctor`; then retry the round.',
      { retryable: true },
    );
  if (open.length === 0 || (open.length === batch.length && batch.length === 1)) return certified;
  const parts = open.length < batch.length ? [open] : cutShards(open, Math.ceil(open.length / 2));
  const later: Proved[] = [];
  for (const [index, part] of parts.entries())
    later.push(...(await certifyBatch(ports, run, `${name}_${index}`, part, signal)));
  return [...certified, ...later];
}
