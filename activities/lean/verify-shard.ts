/** Gives verdicts on the samples of a shard: the screen, then the judgement of the compiled object. */

import { StpError } from '@stp/base';
import { explainedShare, type ProverConfig, type RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  type Sample,
  type ShardResult,
  sampleSchema,
  shardResultSchema,
  type Verdict,
  type VerdictCounts,
  verdictSchema,
} from '@stp/config/records';
import { grownHeaders } from '@stp/lean-explore';
import type { Candidate, CheckOptions, CheckResult, Verifier } from '@stp/lean-verifier';
import { namesUnknown, type WorkItem, workItemSchema } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { RunMonitor, RunStore, RunVerifier } from '../ports.ts';
import type { Sampled } from '../provers/shard-turn.ts';
import { once, readAll, readRecords, writeRecords } from '../records/record-files.ts';
import { grownTheorems } from '../round/library.ts';
import { VerdictParts } from '../round/verdict-parts.ts';

/** Limit of `verdictSchema` on messages. */
const MESSAGES_MAX = 8;

export interface VerifyShardInput {
  readonly run: string;
  /** Folder of the shard's objects. */
  readonly name: string;
  readonly items: ArtifactRef;
  readonly sampled: Sampled;
  /** The result of earlier samples of the shard, which `sampled` contains too; their verdicts stand. Missing or null: there are none. */
  readonly earlier?: ShardResult | null;
  /** Grown theorems that the proofs may name; null: none. */
  readonly library: ArtifactRef | null;
  readonly config: Pick<RunConfig, 'verification'> & { readonly prover: Pick<ProverConfig, 'mode'> };
}

export function verifyShardActivity(ports: RunStore & RunVerifier<'check' | 'environment' | 'sandbox'> & RunMonitor) {
  return {
    /** A verdict for every distinct sample. A proved canary is STP1701; too many samples without verdict STP1702. */
    async verifyShard(input: VerifyShardInput): Promise<ShardResult> {
      const { run, config, sampled, earlier = null } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/verified.json`, shardResultSchema, () =>
        withHeartbeat(async (signal, report) => {
          const items = new Map(
            (await readAll(store, input.items, workItemSchema)).map((item) => [item.statement.id, item]),
          );
          const samples = await readAll(store, sampled.samples, sampleSchema);
          const library = await Array.fromAsync(grownTheorems(store, input.library));
          const headers = grownHeaders(library);
          const candidateOf = (sample: Sample): Candidate => {
            const { header, statement } = items.get(sample.statementId)!.statement;
            return {
              id: sample.id,
              header: headers.get(header) ?? header,
              statedUnder: header,
              statement,
              proof: sample.proof,
            };
          };
          const verifier = await ports.verifier(run, config.verification, library);
          let verified = 0;
          const tell = (): void => report({ verified, of: samples.length, ...parts.cursor });
          const parts = await VerdictParts.open(store, `${input.name}/verdict-parts`, verifier.sandbox, tell);
          const kept = new Map(parts.earlier);
          const judged = new Set<string>();
          for await (const verdict of earlier === null ? [] : readRecords(store, earlier.verdicts, verdictSchema)) {
            if (verdict.kind === 'infra') continue;
            kept.set(verdict.sampleId, verdict);
            judged.add(verdict.sampleId);
          }
          const open = samples.filter(({ id, refused }) => !kept.has(id) && refused === undefined).map(candidateOf);
          const started = performance.now();
          verified = kept.size;
          tell();
          const share = explainedShare(config);
          const explains = ({ id }: Candidate): boolean => isChosen(id, share);
          const results = await checkInParts(verifier, open, parts, { signal, explains }, () => {
            verified++;
            tell();
          });
          const found = new Map(results.map((result) => [result.id, verdictOf(result, verifier.environment.version)]));
          const verdicts = samples.map((sample) =>
            withDropped(
              kept.get(sample.id) ?? found.get(sample.id) ?? unreadVerdict(sample, verifier.environment.version),
              sample,
            ),
          );
          const { counts, newCounts, proved, ...told } = tally(samples, verdicts, judged, share);
          refuseProvedCanaries(
            [...proved].map((id) => items.get(id)!),
            input.name,
          );
          refuseTooManyUnverified(counts.infra ?? 0, sampled.sampleCount, config.verification, input.name);
          const seconds = (performance.now() - started) / 1_000;
          await logMetrics(
            ports,
            run,
            metricsAt(input.name, 0, {
              checks: open.length,
              checks_per_second: open.length / seconds,
              from_earlier_attempt: kept.size - judged.size,
              from_cache: results.filter((result) => result.fromCache).length,
              proved_statements: proved.size,
              samples_with_unknown_name: told.unknownNames,
              samples_with_changed_statement: told.changedStatements,
              shard_seconds_verify: seconds,
              ...Object.fromEntries(Object.entries(newCounts).map(([kind, count]) => [`verdicts_${kind}`, count])),
            }),
          );
          return {
            items: input.items,
            samples: sampled.samples,
            verdicts: await writeRecords(store, `${input.name}/verdicts-*.jsonl`, verdicts, signal),
            sandbox: earlier?.sandbox?.kind === 'none' ? earlier.sandbox : parts.weakestSandbox,
            sampleCount: sampled.sampleCount,
            distinctCount: sampled.distinctCount,
            tokens: sampled.tokens,
            ...(sampled.promptTokens === undefined ? {} : { promptTokens: sampled.promptTokens }),
            verdictCounts: counts,
            provedStatements: proved.size,
            checkMs: verdicts.reduce((total, verdict) => total + verdict.checkMs, 0),
          };
        }),
      );
    },
  };
}

/** Samples by what became of them, multiplicity counted; `newCounts` without those that were judged before. */
function tally(
  samples: readonly Sample[],
  verdicts: readonly Verdict[],
  judgedBefore: ReadonlySet<string>,
  explainedShare: number,
) {
  const counts: VerdictCounts = {};
  const newCounts: VerdictCounts = {};
  const proved = new Set<string>();
  let [rejected, explained, unknown, changedStatements] = [0, 0, 0, 0];
  for (const [index, verdict] of verdicts.entries()) {
    const { id, statementId, multiplicity, changedStatement } = samples[index]!;
    for (const count of judgedBefore.has(id) ? [counts] : [counts, newCounts])
      count[verdict.kind] = (count[verdict.kind] ?? 0) + multiplicity;
    if (verdict.kind === 'rejected') {
      rejected += multiplicity;
      if (isChosen(id, explainedShare)) {
        explained += multiplicity;
        if (namesUnknown(verdict)) unknown += multiplicity;
      }
    }
    if (changedStatement) changedStatements += multiplicity;
    if (verdict.kind === 'proved') proved.add(statementId);
  }
  // Of all that were rejected, by those of which the reason is known.
  const unknownNames = explained === 0 ? 0 : (unknown * rejected) / explained;
  return { counts, newCounts, proved, unknownNames, changedStatements };
}

/** STP1701 where one of the proved items is a false statement. */
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

/** STP1702 where a greater share of the samples has no verdict than the configuration allows. */
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

/** A share of all samples, the same ones whenever the shard is done. Ids are hexadecimal digits of a hash. */
function isChosen(id: string, share: number): boolean {
  return Number.parseInt(id.slice(-8), 16) < share * 2 ** 32;
}

/** Checks, each verdict kept as soon as it is there: also where the check ends before its time. */
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

/** Returns the verdict of a sample whose answer gave no proof: Lean is not asked. */
function unreadVerdict({ id, refused }: Sample, leanVersion: string): Verdict {
  return {
    sampleId: id,
    kind: refused!.reason === 'changed-statement' ? 'changed_statement' : 'no_proof',
    messages: [{ severity: 'error', line: 1, column: 0, text: refused!.detail }],
    premises: [],
    axioms: [],
    checkMs: 0,
    leanVersion,
  };
}

/** A proof that fails may have needed what its answer had above the theorem. */
function withDropped(verdict: Verdict, { dropped }: Sample): Verdict {
  if (dropped === undefined || verdict.kind === 'proved' || verdict.messages.length >= MESSAGES_MAX) return verdict;
  const text = `tried without what the answer has above the theorem: ${dropped}`;
  return { ...verdict, messages: [...verdict.messages, { severity: 'information', line: 0, column: 0, text }] };
}

function verdictOf(result: CheckResult, leanVersion: string): Verdict {
  return {
    sampleId: result.id,
    kind: result.kind,
    messages: result.messages.slice(0, MESSAGES_MAX),
    premises: [...result.premises],
    ...(result.certificate === undefined ? {} : { certificate: result.certificate }),
    ...(result.isDisagreement ? { isDisagreement: true } : {}),
    axioms: [...result.axioms],
    checkMs: result.checkMs,
    leanVersion,
    ...(result.queueMs === undefined ? {} : { queueMs: result.queueMs }),
    ...(result.peakResidentBytes === undefined ? {} : { peakResidentBytes: result.peakResidentBytes }),
    ...(result.driver === undefined ? {} : { driver: result.driver }),
  };
}
