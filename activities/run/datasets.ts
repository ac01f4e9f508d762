/** Prepares a run: resolves its configuration, chooses its statements, writes the SFT set. */

import { StpError } from '@stp/base';
import {
  isInWords,
  type RunConfig,
  requireSameConfig,
  resolveConfig,
  runConfigSchema,
  type StartInput,
  startInputSchema,
} from '@stp/config';
import { wordsId } from '@stp/config/ids';
import { artifactRefSchema, type ObjectStore, type Split, type Statement } from '@stp/config/records';
import { heldOutKeysOf, keyUnderAnyHeader, matchingWeight, randomStream } from '@stp/selfplay';
import { ApplicationFailure } from '@temporalio/activity';
import { z } from 'zod';
import { priceOfNodes } from '../../infra/cloud/pricing.ts';
import { withHeartbeat } from '../edge.ts';
import type { Ports } from '../ports.ts';
import { slotKeys, theoremKeys } from '../prover-forms.ts';
import { once, writeRecords } from '../records/record-files.ts';
import { runSft } from '../sft/run-sft.ts';
import { requireUnreported } from './finished-rounds.ts';

export const preparedDataSchema = z.strictObject({
  /** Statements of the run; training reads these only. */
  train: artifactRefSchema,
  heldOut: artifactRefSchema,
  /**
   * Hashes of the held-out statements, of their texts up to names and by `theoremKeys`, and of the theorems held out from the SFT
   * set: no conjecture is one of them.
   */
  heldOutKeys: artifactRefSchema,
  canaries: artifactRefSchema,
  sft: artifactRefSchema,
  /** Prover examples that are held out from the SFT set, for the loss on what was never trained on; may be empty. */
  sftEval: artifactRefSchema,
  /** Theorems of the SFT set (`LibraryTheorem`) without those held out: what lemmas are looked up in. No conjecture under the library's header repeats one. */
  theorems: artifactRefSchema,
  counts: z.strictObject({
    libraryProofs: z.number(),
    searchedProofs: z.number(),
    conjecturerExamples: z.number(),
    /** Library theorems, or examples of a prepared set, left out of the SFT set because they hold a held-out statement up to names. */
    excludedForHeldOut: z.number(),
    /** Training statements left out because they are a held-out one up to names. */
    trainExcludedForHeldOut: z.number(),
  }),
});
export type PreparedData = z.infer<typeof preparedDataSchema>;

interface Taking {
  readonly split: Split;
  /** Statements of each set at most, a seeded choice; null: all. */
  readonly max: number | null;
  /** Statements that are never taken, under any choice. */
  readonly leaveOut?: (statement: Statement) => boolean;
}

/**
 * Statements of one split in the sets' own order, the set's name first in their labels, their weight that of round 0. A
 * statement that two sets have is the first one's. Sets are read as streams, twice where there is a choice; ids are kept.
 */
export async function* takeStatements(
  ports: Pick<Ports, 'sources'>,
  config: RunConfig,
  { split, max, leaveOut }: Taking,
): AsyncGenerator<Statement> {
  const taken = new Set<string>();
  for (const name of config.data.problemSets) {
    async function* candidates(): AsyncGenerator<Statement> {
      for await (const statement of ports.sources.problemSet(name))
        if (statement.split === split && !taken.has(statement.id) && leaveOut?.(statement) !== true) yield statement;
    }
    const chosen = max === null ? null : await choosePlaces(candidates(), max, config.seed, name, split);
    let place = 0;
    for await (const statement of candidates()) {
      if ((statement.id === wordsId(statement.statement)) !== isInWords(config)) throw wrongKind(name, config);
      if (chosen === null || chosen.has(place++)) {
        taken.add(statement.id);
        const labels = statement.labels[0] === name ? statement.labels : [name, ...statement.labels];
        yield { ...statement, labels, weight: matchingWeight(config.data.weights, { ...statement, labels }, 0) };
      }
    }
  }
}

function wrongKind(set: string, config: RunConfig): StpError {
  const [is, wanted] = isInWords(config) ? ['for Lean', 'in words'] : ['in words', 'for Lean'];
  return new StpError(
    'STP1001',
    `the problems of ${set} are ${is}, and the run is of problems ${wanted}`,
    'Name other sets in data.problemSets; docs/judges.md is about problems in words.',
  );
}

async function choosePlaces(
  statements: AsyncIterable<Statement>,
  max: number,
  seed: number,
  name: string,
  split: Split,
): Promise<ReadonlySet<number>> {
  const places: number[] = [];
  for await (const _ of statements) places.push(places.length);
  return new Set(randomStream(seed, 'take', name, split).shuffle(places).slice(0, max));
}

export function datasetActivities(ports: Ports) {
  return {
    /**
     * Resolves the configuration and stores it as `config.json`. A run has one for good: another is STP1002, and so is
     * starting a run again that was stopped early and has its report.
     */
    async prepareRun(run: string, input: StartInput): Promise<RunConfig> {
      const { preset, rounds, seed, set } = startInputSchema.parse(input);
      const config = resolveConfig({ preset, set, flags: seed === undefined ? { rounds } : { rounds, seed } });
      requirePrice(config);
      if (config.tracking.length > 0) ports.requireTrackers(config.tracking);
      const store = await ports.store(run);
      const stored = await once(store, 'config.json', runConfigSchema, async () => config);
      requireSameConfig(run, stored, config);
      await requireUnreported(run, store, stored.rounds);
      return stored;
    },

    /** Writes statements, canaries and the SFT set of the run. */
    async prepareData(run: string, config: RunConfig): Promise<PreparedData> {
      const store = await ports.store(run);
      return once(store, 'data/prepared.json', preparedDataSchema, () =>
        withHeartbeat((signal) => prepare(ports, config, store, signal)),
      );
    },
  };
}

/** A budget that nothing can use up would bound nothing. */
function requirePrice({ budget, nodes, sampling }: RunConfig): void {
  if (budget.usdMax === null || sampling.price !== null) return;
  const { perHour, basis } = priceOfNodes(nodes, new Date());
  if (perHour === null)
    throw new StpError(
      'STP1001',
      `budget.usdMax is ${budget.usdMax}, but ${basis.split(';')[0]}`,
      'Say the price as nodes.pricePerHour, in USD an hour for all machines.',
    );
}

async function prepare(
  ports: Pick<Ports, 'sources'>,
  config: RunConfig,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<PreparedData> {
  const write = (name: string, records: Parameters<typeof writeRecords>[2]) =>
    writeRecords(store, `data/${name}.jsonl`, whileWanted(records, signal), signal);
  const heldOutKeys = new Set<string>();
  const heldOutAll = takeStatements(ports, config, { split: 'held-out', max: null });
  const heldOutSlots = new Set<string>();
  const heldOutTheorems = new Set<string>();
  const slotKeyOf = await slotKeys(ports.sources, config.prover);
  const theoremKeyOf = await theoremKeys(ports.sources, config.prover);
  for await (const stated of whileWanted(heldOutAll, signal)) {
    for (const key of heldOutKeysOf(stated)) heldOutKeys.add(key);
    addKey(heldOutSlots, slotKeyOf(stated));
    heldOutTheorems.add(theoremKeyOf(stated));
  }
  const { trainStatementsPerSetMax, heldOutStatementsPerSetMax } = config.data;
  const excluded = new Set<string>();
  const leaveOut = (statement: Statement): boolean => {
    const isHeldOut = heldOutKeys.has(keyUnderAnyHeader(statement));
    if (isHeldOut) excluded.add(statement.id);
    return isHeldOut;
  };
  const trainAll = takeStatements(ports, config, { split: 'train', max: null });
  const sealedSlots = new Set(heldOutSlots);
  if (config.prover.slots)
    for await (const stated of whileWanted(trainAll, signal)) addKey(sealedSlots, slotKeyOf(stated));
  const training = takeStatements(ports, config, { split: 'train', max: trainStatementsPerSetMax, leaveOut });
  const train = await write('train/statements', training);
  if (train.count === 0)
    throw ApplicationFailure.nonRetryable('the problem sets hold no training statement', 'STP1501');
  const sft = await runSft(ports.sources, config, {
    heldOutKeys,
    theoremKeys: heldOutTheorems,
    slotKeys: sealedSlots,
  });
  const sftEval = await write('SFT/eval', sft.heldOut);
  const refused = new Set([...heldOutKeys, ...heldOutTheorems]);
  for await (const key of sft.heldOutKeys) refused.add(key);
  const heldOut = takeStatements(ports, config, { split: 'held-out', max: heldOutStatementsPerSetMax });
  return {
    train,
    heldOut: await write('held-out/statements', heldOut),
    heldOutKeys: await write('held-out-keys', [...refused].sort()),
    canaries: await write('canaries', ports.sources.canaries()),
    sft: await write('SFT/examples', sft.train),
    sftEval,
    theorems: await write('SFT/theorems', sft.theorems),
    counts: { ...sft.counts(), trainExcludedForHeldOut: excluded.size },
  };
}

function addKey(keys: Set<string>, key: string | null): void {
  if (key !== null) keys.add(key);
}

/** The items, until the activity is cancelled. */
async function* whileWanted<T>(items: Iterable<T> | AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
