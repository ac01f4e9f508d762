/** Reads the sampled and verified shards of an evaluation as one stream, and counts them statement by statement. */
import { StpError } from '@stp/base';
import {
  type ObjectStore,
  type Sample,
  type ShardResult,
  sampleSchema,
  type Verdict,
  verdictSchema,
} from '@stp/config/records';
import { SampleOutcomes, workItemSchema } from '@stp/selfplay';
import { SCRIPTS_MODEL } from '../provers/scripts/portfolio.ts';
import { readAll, readRecords } from '../records/record-files.ts';
import type { JudgedSample } from './evaluation-log.ts';

/** Yields every distinct proof with its verdict, in the shards' order. The statements of one shard are in memory. */
export async function* judgedSamples(store: ObjectStore, shards: readonly ShardResult[]): AsyncGenerator<JudgedSample> {
  for (const shard of shards) {
    const items = await readAll(store, shard.items, workItemSchema);
    const itemOf = new Map(items.map((item) => [item.statement.id, item]));
    // Verification writes a verdict for every sample, in the samples' order.
    const verdicts = readRecords(store, shard.verdicts, verdictSchema);
    for await (const sample of readRecords(store, shard.samples, sampleSchema)) {
      const { value: verdict } = await verdicts.next();
      const item = itemOf.get(sample.statementId);
      if (verdict?.sampleId !== sample.id || item === undefined)
        throw new StpError(
          'STP1402',
          `${shard.verdicts.uri} has no verdict for sample ${sample.id} where it should stand`,
          'Remove the shard; it will be done again.',
        );
      yield { statement: item.statement, firstSamples: item.samples, sample, verdict };
    }
    await verdicts.return(undefined);
  }
}

export interface StatementTally {
  readonly outcomes: SampleOutcomes;
  /** Samples without a verdict. */
  unverified: number;
  /** Samples that ended at a limit of tokens, and those of them without any token: the prompt filled the model's context. */
  readonly cutOff: { samples: number; empty: number };
  /** The shortest proof that the screen accepted; among equally short ones the first. */
  shortest: JudgedProof | null;
  /**
   * The shortest proof by a script that was tried beside the model. It is no sample, so `outcomes` does not count it.
   */
  shortestByScript: JudgedProof | null;
}

export interface JudgedProof {
  readonly sample: Sample;
  readonly verdict: Verdict;
}

/**
 * Tallies the outcomes of every statement's samples, by statement id.
 *
 * @param model name of the model that wrote the samples; null: unknown
 */
export async function tallyShards(
  store: ObjectStore,
  shards: readonly ShardResult[],
  model: string | null = null,
): Promise<Map<string, StatementTally>> {
  const tallies = new Map<string, StatementTally>();
  for await (const { statement, firstSamples, sample, verdict } of judgedSamples(store, shards)) {
    const tally = tallies.get(statement.id) ?? newTally();
    tallies.set(statement.id, tally);
    const isProved = verdict.kind === 'proved';
    if (model !== null && model !== SCRIPTS_MODEL && sample.model === SCRIPTS_MODEL) {
      if (isProved) tally.shortestByScript = shorter(tally.shortestByScript, { sample, verdict });
      continue;
    }
    // A revision belongs to the sample that it revises: pass@k counts both as one attempt.
    for (const index of sample.indices) tally.outcomes.add(index % firstSamples, isProved);
    if (verdict.kind === 'infra') tally.unverified += sample.multiplicity;
    if (sample.finish === 'length') {
      tally.cutOff.samples += sample.multiplicity;
      if (sample.tokens === 0) tally.cutOff.empty += sample.multiplicity;
    }
    if (isProved) tally.shortest = shorter(tally.shortest, { sample, verdict });
  }
  return tallies;
}

const newTally = (): StatementTally => ({
  outcomes: new SampleOutcomes(),
  unverified: 0,
  cutOff: { samples: 0, empty: 0 },
  shortest: null,
  shortestByScript: null,
});

const shorter = (before: JudgedProof | null, now: JudgedProof): JudgedProof =>
  before === null || now.sample.proof.length < before.sample.proof.length ? now : before;

/** Returns the outcomes in the statements' order. A statement that was never sampled has none. */
export function outcomesOf(
  statements: readonly { readonly id: string }[],
  tallies: ReadonlyMap<string, StatementTally>,
): SampleOutcomes[] {
  return statements.map(({ id }) => tallies.get(id)?.outcomes ?? new SampleOutcomes());
}
