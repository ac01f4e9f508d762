/** Gives verdicts on the samples of a shard: screen and trial first, then the judgement of the compiled module. */

import { StpError } from '@stp/base';
import { explainedShare, type ProverConfig, type RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  type ObjectStore,
  type Sample,
  type ShardResult,
  sampleSchema,
  shardResultSchema,
  type Verdict,
  verdictSchema,
} from '@stp/config/records';
import { type Candidate, type CheckOptions, type CheckResult, grownHeaders, type Verifier } from '@stp/lean-verifier';
import { type WorkItem, workItemSchema } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { RunMonitor, RunStore, RunVerifier } from '../ports.ts';
import type { Sampled } from '../provers/shard-turn.ts';
import { once, readAll, readRecords, writeRecords } from '../records/record-files.ts';
import { grownLibrary } from '../round/library.ts';
import { VerdictParts } from '../round/verdict-parts.ts';
import { isExplained, tally, unreadVerdict, type VerdictTally, verdictOf, withDropped } from '../round/verdicts.ts';

export interface VerifyShardInput {
  readonly run: string;
  /** Folder of the shard's objects. */
  readonly name: string;
  readonly items: ArtifactRef;
  readonly sampled: Sampled;
  /**
   * Result for earlier samples of the shard, whose verdicts stand; `sampled` contains them too. Missing or null: there
   * are none.
   */
  readonly earlier?: ShardResult | null;
  /** Grown theorems that the proofs may name; null: none. */
  readonly library: ArtifactRef | null;
  readonly config: Pick<RunConfig, 'verification'> & { readonly prover: Pick<ProverConfig, 'mode'> };
}

type VerifyPorts = RunStore & RunVerifier<'check' | 'environment' | 'sandbox'> & RunMonitor;
type Checking = Pick<Verifier, 'check' | 'environment' | 'sandbox'>;

export function verifyShardActivity(ports: VerifyPorts) {
  return {
    /**
     * Gives a verdict on every distinct sample. Throws STP1701 for a proved canary, and STP1702 if too many samples
     * have no verdict.
     */
    async verifyShard(input: VerifyShardInput): Promise<ShardResult> {
      const store = await ports.store(input.run);
      return once(store, `${input.name}/verified.json`, shardResultSchema, () =>
        withHeartbeat((signal, report) => verify(ports, store, input, signal, report)),
      );
    },
  };
}

async function verify(
  ports: VerifyPorts,
  store: ObjectStore,
  input: VerifyShardInput,
  signal: AbortSignal,
  report: (details: unknown) => void,
): Promise<ShardResult> {
  const { run, name, config, sampled, earlier = null } = input;
  const items = new Map((await readAll(store, input.items, workItemSchema)).map((item) => [item.statement.id, item]));
  const samples = await readAll(store, sampled.samples, sampleSchema);
  const library = await grownLibrary(store, input.library);
  const verifier: Checking = await ports.verifier(run, config.verification, library);
  const parts = await VerdictParts.open(store, `${name}/verdict-parts`, verifier.sandbox, () => tell());
  const judgedBefore = await earlierVerdicts(store, earlier);
  const kept = new Map([...parts.earlier, ...judgedBefore]);
  let verified = kept.size;
  const tell = (): void => report({ verified, of: samples.length, ...parts.cursor });
  tell();
  const open = samples.filter(({ id, refused }) => !kept.has(id) && refused === undefined);
  const started = performance.now();
  const share = explainedShare(config);
  const explains = ({ id }: Candidate): boolean => isExplained(id, share);
  const candidates = candidatesOf(open, items, grownHeaders(library));
  const results = await checkInParts(verifier, candidates, parts, { signal, explains }, () => {
    verified++;
    tell();
  });
  const verdicts = verdictsInOrder(samples, kept, results, verifier.environment.version);
  const counted = tally(samples, verdicts, new Set(judgedBefore.keys()), share);
  refuseProvedCanaries(
    [...counted.proved].map((id) => items.get(id)!),
    name,
  );
  refuseTooManyUnverified(counted.counts.infra ?? 0, sampled.sampleCount, config.verification, name);
  const seconds = (performance.now() - started) / 1_000;
  const fromEarlierAttempt = kept.size - judgedBefore.size;
  await logMetrics(ports, run, metricsAt(name, 0, shardFigures(counted, results, fromEarlierAttempt, seconds)));
  return {
    items: input.items,
    samples: sampled.samples,
    verdicts: await writeRecords(store, `${name}/verdicts-*.jsonl`, verdicts, signal),
    sandbox: earlier?.sandbox?.kind === 'none' ? earlier.sandbox : parts.weakestSandbox,
    sampleCount: sampled.sampleCount,
    distinctCount: sampled.distinctCount,
    tokens: sampled.tokens,
    ...(sampled.promptTokens === undefined ? {} : { promptTokens: sampled.promptTokens }),
    verdictCounts: counted.counts,
    provedStatements: counted.proved.size,
    checkMs: verdicts.reduce((total, verdict) => total + verdict.checkMs, 0),
  };
}

/** Returns the verdicts on earlier samples by sample id. Samples without a verdict (`infra`) are checked again. */
async function earlierVerdicts(store: ObjectStore, earlier: ShardResult | null): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  for await (const verdict of earlier === null ? [] : readRecords(store, earlier.verdicts, verdictSchema))
    if (verdict.kind !== 'infra') verdicts.set(verdict.sampleId, verdict);
  return verdicts;
}

/** @param headers headers that import the grown libraries, by the header that each extends */
function candidatesOf(
  samples: readonly Sample[],
  items: ReadonlyMap<string, WorkItem>,
  headers: ReadonlyMap<string | null, string>,
): Candidate[] {
  return samples.map(({ id, statementId, proof }) => {
    const { header, statement } = items.get(statementId)!.statement;
    return { id, header: headers.get(header) ?? header, statedUnder: header, statement, proof };
  });
}

/**
 * Returns a verdict for each sample, in order: kept from before, found now, or given without Lean for a sample without
 * a proof.
 */
function verdictsInOrder(
  samples: readonly Sample[],
  kept: ReadonlyMap<string, Verdict>,
  results: readonly CheckResult[],
  leanVersion: string,
): Verdict[] {
  const found = new Map(results.map((result) => [result.id, verdictOf(result, leanVersion)]));
  return samples.map((sample) =>
    withDropped(kept.get(sample.id) ?? found.get(sample.id) ?? unreadVerdict(sample, leanVersion), sample),
  );
}

/** The shard's metrics, by name. */
function shardFigures(
  { newCounts, proved, unknownNames, changedStatements }: VerdictTally,
  results: readonly CheckResult[],
  fromEarlierAttempt: number,
  seconds: number,
): Record<string, number> {
  return {
    checks: results.length,
    checks_per_second: results.length / seconds,
    from_earlier_attempt: fromEarlierAttempt,
    from_cache: results.filter((result) => result.fromCache).length,
    proved_statements: proved.size,
    samples_with_unknown_name: unknownNames,
    samples_with_changed_statement: changedStatements,
    shard_seconds_verify: seconds,
    ...Object.fromEntries(Object.entries(newCounts).map(([kind, count]) => [`verdicts_${kind}`, count])),
  };
}

/** Throws STP1701 if a proved item is a false statement. */
function refuseProvedCanaries(proved: readonly WorkItem[], shard: string): void {
  const canaries = proved.filter(({ origin }) => origin === 'canary').map(({ statement }) => statement);
  if (canaries.length === 0) return;
  throw new StpError(
    'STP1701',
    `Lean accepted a proof of ${canaries.length} false statement(s): ${canaries[0]!.name}`,
    'Trust no verdict of this run: look at the proof in the shard, then abort.',
    { facts: { shard, canaries: canaries.map(({ id }) => id) } },
  );
}

/** Throws STP1702 if a greater share of the samples has no verdict than the configuration allows. */
function refuseTooManyUnverified(
  unverified: number,
  sampleCount: number,
  { unverifiedShareMax }: RunConfig['verification'],
  shard: string,
): void {
  if (unverified <= unverifiedShareMax * Math.max(1, sampleCount)) return;
  throw new StpError(
    'STP1702',
    `${unverified} of ${sampleCount} samples of ${shard} have no verdict: Lean could not be run on them`,
    'See `bin/stp doctor`; then retry the round.',
    { retryable: true, facts: { unverified } },
  );
}

/** Checks the samples. Verdicts are stored in parts as they arrive, also when the check fails. */
async function checkInParts(
  verifier: Pick<Verifier, 'check' | 'environment'>,
  candidates: readonly Candidate[],
  parts: VerdictParts,
  options: Pick<CheckOptions, 'signal' | 'explains'>,
  onVerdict: () => void,
): Promise<readonly CheckResult[]> {
  try {
    const results = await verifier.check(candidates, {
      ...options,
      onResult: (result) => {
        parts.add(verdictOf(result, verifier.environment.version));
        onVerdict();
      },
    });
    await parts.settled();
    return results;
  } catch (error) {
    await parts.keepAll();
    throw error;
  }
}
