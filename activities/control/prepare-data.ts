/** Prepares the data of a run: chooses its statements and writes its SFT set. */

import { setImmediate } from 'node:timers/promises';
import { StpError } from '@stp/base';
import { isInWords, type RunConfig, rankedShare } from '@stp/config';
import { wordsId } from '@stp/config/ids';
import type { ObjectStore, Split, Statement, TriedConjecture } from '@stp/config/records';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { heldOutKeysOf, keyUnderAnyHeader, matchingWeight, randomStream } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { DataSources, RunStore } from '../ports.ts';
import { slotKeys, theoremKeys } from '../prover-forms.ts';
import { once, writeRecords } from '../records/record-files.ts';
import { type PreparedData, preparedDataSchema } from '../run/prepared-data.ts';
import type { SftSources } from '../sft/run-sft.ts';
import { runSft } from '../sft/run-sft.ts';

interface Taking {
  readonly split: Split;
  /** Maximum number of statements over all sets, a seeded choice; null: all. */
  readonly max: number | null;
  /** Whether to exclude a statement from every choice. */
  readonly leaveOut?: (statement: Statement) => boolean;
}

/**
 * Yields the statements of one split in the sets' own order. The first label is the set's name, and the weight is that
 * of round 0. A statement in two sets counts for the first. Sets are streamed, twice if there is a choice to make; only
 * ids stay in memory.
 */
export async function* takeStatements(
  ports: DataSources<'problemSet'>,
  config: RunConfig,
  { split, max, leaveOut }: Taking,
): AsyncGenerator<Statement> {
  const taken = new Set<string>();
  for (const name of config.data.problemSets) {
    async function* candidates(): AsyncGenerator<Statement> {
      for await (const statement of ports.sources.problemSet(name))
        if (statement.split === split && !taken.has(statement.id) && leaveOut?.(statement) !== true) yield statement;
    }
    const chosen = max === null ? null : await chooseIndices(candidates(), max, config.seed, name, split);
    let index = 0;
    for await (const statement of candidates()) {
      if ((statement.id === wordsId(statement.statement)) !== isInWords(config)) throw wrongKind(name, config);
      if (chosen === null || chosen.has(index++)) {
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

async function chooseIndices(
  statements: AsyncIterable<Statement>,
  max: number,
  seed: number,
  name: string,
  split: Split,
): Promise<ReadonlySet<number>> {
  const indices: number[] = [];
  for await (const _ of statements) indices.push(indices.length);
  return new Set(randomStream(seed, 'take', name, split).shuffle(indices).slice(0, max));
}

type DataNames = keyof SftSources | 'problemSet' | 'canaries';

export function prepareDataActivity(ports: RunStore & DataSources<DataNames>) {
  return {
    /** Writes statements, canaries and the SFT set of the run. */
    async prepareData(run: string, config: RunConfig): Promise<PreparedData> {
      const store = await ports.store(run);
      return once(store, 'data/prepared.json', preparedDataSchema, () =>
        withHeartbeat((signal) => prepare(ports, config, store, signal)),
      );
    },
  };
}

async function prepare(
  ports: DataSources<DataNames>,
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
    throw new StpError(
      'STP1501',
      'the problem sets hold no training statement',
      'Name a set with training statements in data.problemSets.',
    );
  const sft = await runSft(ports.sources, config, {
    heldOutKeys,
    theoremKeys: heldOutTheorems,
    slotKeys: sealedSlots,
  });
  const sftEval = await write('SFT/eval', sft.heldOut);
  const refused = new Set([...heldOutKeys, ...heldOutTheorems]);
  for await (const key of sft.heldOutKeys) refused.add(key);
  const heldOut = takeStatements(ports, config, { split: 'held-out', max: heldOutStatementsPerSetMax });
  const isRefused = ({ target, statement }: TriedConjecture): boolean =>
    [target, statement].some((text) => heldOutTheorems.has(theoremKeyOf({ header: LIBRARY_HEADER, statement: text })));
  const heldOutWritten = await write('held-out/statements', heldOut);
  const heldOutKeysWritten = await write('held-out-keys', [...refused].sort());
  const canaries = await write('canaries', ports.sources.canaries());
  const sftTrain = await write('SFT/examples', sft.train);
  // The counts are complete only after the examples were read to their end.
  const sftCounts = sft.counts();
  return {
    train,
    heldOut: heldOutWritten,
    heldOutKeys: heldOutKeysWritten,
    canaries,
    sft: sftTrain,
    sftEval,
    theorems: await write('SFT/theorems', sft.theorems),
    ...(rankedShare(config.conjectures) === 0
      ? {}
      : { triedConjectures: await write('SFT/conjectures', without(ports.sources.triedConjectures(), isRefused)) }),
    counts: { ...sftCounts, trainExcludedForHeldOut: excluded.size },
  };
}

function addKey(keys: Set<string>, key: string | null): void {
  if (key !== null) keys.add(key);
}

async function* without<T>(items: AsyncIterable<T>, isRefused: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) {
    // The test takes a millisecond or more, so heartbeats need a chance to be sent in between.
    await setImmediate();
    if (!isRefused(item)) yield item;
  }
}

/** Yields the items until the activity is cancelled. */
async function* whileWanted<T>(items: Iterable<T> | AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
