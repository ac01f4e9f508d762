/** Verdicts for the samples of a shard: the screen. What it accepts is certified later (`verify.ts`). */
import { StpError } from '../data/errors.ts';
import type { ArtifactRef } from '../data/schemas/artifact.ts';
import { sampleSchema, type Verdict } from '../data/schemas/records.ts';
import { type ShardResult, shardResultSchema } from '../data/schemas/round.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { Candidate } from '../lean/verifier.ts';
import { workItemSchema } from '../selfplay/shards.ts';
import { withHeartbeat } from './edge.ts';
import type { Sampled } from './generate.ts';
import { metricsAt } from './metrics.ts';
import type { Ports } from './ports.ts';
import { once, readAll, writeRecords } from './record-files.ts';

export interface VerifyShardInput {
  readonly run: string;
  readonly name: string;
  readonly items: ArtifactRef;
  readonly sampled: Sampled;
  readonly config: Pick<RunConfig, 'verification'>;
}

export function verifyShardActivities(ports: Ports) {
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
            checkMs: verdicts.reduce((sum, verdict) => sum + verdict.checkMs, 0),
          };
        }),
      );
    },
  };
}
