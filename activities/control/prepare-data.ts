/** Prepares the data of a run: writes its statements, its SFT set, and the keys of what is held out. */

import { setImmediate } from 'node:timers/promises';
import { StpError } from '@stp/base';
import { type RunConfig, rankedShare, startingRanker } from '@stp/config';
import type { ObjectStore, Statement, TriedConjecture } from '@stp/config/records';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { keyUnderAnyHeader } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { DataSources, RunStore } from '../ports.ts';
import { theoremKeys } from '../prover-forms.ts';
import { once, writeRecords } from '../records/record-files.ts';
import { type PreparedData, preparedDataSchema } from '../run/prepared-data.ts';
import { collectSealedKeys, type SealedKeys } from '../run/sealed-keys.ts';
import { takeStatements } from '../run/take-statements.ts';
import type { SftSources } from '../sft/run-sft.ts';
import { runSft } from '../sft/run-sft.ts';

type DataNames = keyof SftSources | 'problemSet' | 'canaries' | 'ranker';

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
    writeRecords(store, `data/${name}.jsonl`, untilCancelled(records, signal), signal);
  const sealed = await collectSealedKeys(ports, config, signal);
  const excluded = new Set<string>();
  const leaveOut = (statement: Statement): boolean => {
    const isHeldOut = sealed.statementKeys.has(keyUnderAnyHeader(statement));
    if (isHeldOut) excluded.add(statement.id);
    return isHeldOut;
  };
  const rankerFrom = startingRanker(config.prover);
  const { trainStatementsPerSetMax, heldOutStatementsPerSetMax } = config.data;
  const training = takeStatements(ports, config, { split: 'train', max: trainStatementsPerSetMax, leaveOut });
  const train = await write('train/statements', training);
  if (train.count === 0)
    throw new StpError(
      'STP1501',
      'the problem sets hold no training statement',
      'Name a set with training statements in data.problemSets.',
    );
  const sft = await runSft(ports.sources, config, sealed);
  const sftEval = await write('SFT/eval', sft.heldOut);
  const refusedKeys = new Set([...sealed.statementKeys, ...sealed.theoremKeys]);
  for await (const key of sft.heldOutKeys) refusedKeys.add(key);
  const heldOut = takeStatements(ports, config, { split: 'held-out', max: heldOutStatementsPerSetMax });
  const heldOutWritten = await write('held-out/statements', heldOut);
  const heldOutKeysWritten = await write('held-out-keys', [...refusedKeys].sort());
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
      : { triedConjectures: await write('SFT/conjectures', openConjectures(ports, config, sealed)) }),
    ...(rankerFrom === null
      ? {}
      : { ranker: await store.put('data/ranker.bin', await ports.sources.ranker(rankerFrom)) }),
    counts: { ...sftCounts, trainExcludedForHeldOut: excluded.size },
  };
}

/** Yields the library's tried conjectures that are no held-out theorem. */
async function* openConjectures(
  { sources }: DataSources<DataNames>,
  { prover }: RunConfig,
  sealed: SealedKeys,
): AsyncGenerator<TriedConjecture> {
  const theoremKeyOf = await theoremKeys(sources, prover);
  const isSealed = (statement: string): boolean =>
    sealed.theoremKeys.has(theoremKeyOf({ header: LIBRARY_HEADER, statement }));
  for await (const tried of sources.triedConjectures()) {
    // The test takes a millisecond or more, so heartbeats need a chance to be sent in between.
    await setImmediate();
    if (!isSealed(tried.target) && !isSealed(tried.statement)) yield tried;
  }
}

/** Yields the items until the activity is cancelled. */
async function* untilCancelled<T>(items: Iterable<T> | AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
