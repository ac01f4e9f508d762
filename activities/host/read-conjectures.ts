/**
 * Reads the conjecturer's texts before Lean is asked. Keeps texts that parse and are new up to names, in planned order,
 * and cuts them into parts that nodes with Lean gate in parallel.
 */

import { conjecturing, rankedShare } from '@stp/config';
import { contentId, statementId } from '@stp/config/ids';
import {
  type ArtifactRef,
  type GateCounts,
  libraryTheoremSchema,
  type ObjectStore,
  partFolder,
  statementSchema,
} from '@stp/config/records';
import { conjecturesMax, statementKey } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { DataSources, RunStore, Sources } from '../ports.ts';
import { conjecturerFormOf } from '../prover-forms.ts';
import { batchesOf } from '../records/batches.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import {
  type ConjecturePlan,
  type ConjectureRecord,
  type ConjectureText,
  conjecturePlanSchema,
  conjecturesOf,
  conjectureTextSchema,
} from '../round/conjecture-records.ts';
import { type ReadConjectures, readConjecturesSchema } from '../round/gate-parts.ts';
import { heldOutTest } from '../round/held-out.ts';
import { rankConjectures } from '../round/rank-conjectures.ts';
import type { RoundContext } from '../round/round-context.ts';
import { bestRates, readManifests } from '../run/history.ts';

export interface ReadConjecturesInput extends RoundContext {
  readonly plan: ArtifactRef;
  readonly texts: ArtifactRef;
}

/** Conjectures of a part: enough to fill Lean's batches, few enough that gating stops soon after the round is full. */
const PART_SIZE = 512;
/**
 * Ranked conjectures of a part for each conjecture that the round may attempt. The gate refuses about a fifth of those
 * that exploration found.
 */
const RANKED_PER_ATTEMPT = 2;
/** Most parts: each is an activity of the round's workflow and a reference in its history. */
const PARTS_MAX = 1_000;

export function readConjecturesActivity(ports: RunStore & DataSources<'definitions'>) {
  return {
    /**
     * Keeps statements that are new: not in the dataset, the library, the held-out set or earlier conjectures. If the
     * library grows, earlier conjectures without a proof are offered again after all new ones.
     */
    async readConjectures(input: ReadConjecturesInput): Promise<ReadConjectures> {
      const { run, name, texts } = input;
      const store = await ports.store(run);
      return once(store, `${name}/read.json`, readConjecturesSchema, () =>
        withHeartbeat(async (signal, report) => {
          const counts: GateCounts = {};
          let made = 0;
          const fresh = newConjectures(store, ports.sources, input, (refused) => {
            made++;
            if (refused !== null) counts[refused] = (counts[refused] ?? 0) + 1;
            if (made % PART_SIZE === 0) report({ texts: made, of: texts.count });
          });
          const attemptsMax = await conjectureMaximum(store, input);
          const share = rankedShare(input.config.conjectures);
          const ranked =
            share === 0 ? null : await rankConjectures(store, input, await Array.fromAsync(fresh), share, attemptsMax);
          const partSize = ranked === null ? PART_SIZE : Math.min(PART_SIZE, RANKED_PER_ATTEMPT * attemptsMax);
          const parts: ArtifactRef[] = [];
          const all = ranked?.conjectures ?? fresh;
          for await (const part of batchesOf(all, Math.max(partSize, Math.ceil(texts.count / PARTS_MAX)))) {
            const file = `${partFolder(name, 'gate', parts.length)}/conjectures-*.jsonl`;
            parts.push(await writeRecords(store, file, part, signal));
          }
          return { parts, made, attemptsMax, counts, ...(ranked === null ? {} : { ranker: ranked.ranker }) };
        }),
      );
    },
  };
}

/** @param onText called for every text, with the reason if it is not a new statement */
async function* newConjectures(
  store: ObjectStore,
  sources: Pick<Sources, 'definitions'>,
  input: ReadConjecturesInput,
  onText: (refused: keyof GateCounts | null) => void,
): AsyncGenerator<ConjectureRecord> {
  const taken = await takenKeys(store, input);
  const isHeldOut = await heldOutTest(store, sources, input.config.prover, input.data.heldOutKeys);
  const openBefore = input.config.library === 'grow' ? await openConjectures(store, input) : new Set<string>();
  const again: ConjectureRecord[] = [];
  const { read } = conjecturerFormOf(input.config.prover);
  for await (const { text, typed, found, refused, entry } of plannedTexts(store, input)) {
    if (refused !== undefined) {
      onText(refused);
      continue;
    }
    const name = `conjecture_${input.round}_${contentId('name', entry.header ?? '', text).slice(0, 8)}`;
    const statement = read(text, name);
    if (statement === null) {
      onText('unparsable');
      continue;
    }
    const key = statementKey(entry.header, statement);
    const isOpen = openBefore.delete(key);
    const isKnown = isHeldOut({ header: entry.header, statement }) || (taken.has(key) && !isOpen);
    onText(isKnown ? 'duplicate' : null);
    if (isKnown) continue;
    taken.add(key);
    const made = conjectureRecord(name, statement, entry, input.round);
    const record = {
      ...made,
      ...(found === undefined ? {} : { found }),
      ...(typed === undefined ? {} : { typed }),
    };
    if (isOpen) again.push(record);
    else yield record;
  }
  yield* again;
}

function conjectureRecord(
  name: string,
  statement: string,
  { seedId, header, labels, lemma, origin }: ConjecturePlan,
  round: number,
): ConjectureRecord {
  const id = statementId(header, statement);
  return { id, name, header, statement, split: 'train', labels, weight: 1, seedId, lemma, round, origin };
}

/** A text with the entry of the plan that it answers. */
interface PlannedText extends Pick<ConjectureText, 'text' | 'typed' | 'found' | 'refused'> {
  readonly entry: ConjecturePlan;
}

/** Pairs texts with their entries. Texts come in the order of the plan; an entry may have no text, or several. */
async function* plannedTexts(
  store: ObjectStore,
  { plan, texts }: { plan: ArtifactRef; texts: ArtifactRef },
): AsyncGenerator<PlannedText> {
  const written = readRecords(store, texts, conjectureTextSchema);
  let next = await written.next();
  let index = 0;
  for await (const entry of readRecords(store, plan, conjecturePlanSchema)) {
    while (!next.done && next.value.input === index) {
      yield { ...next.value, entry };
      next = await written.next();
    }
    index++;
  }
}

/** Returns the number of conjectures that the round may attempt. */
async function conjectureMaximum(store: ObjectStore, { config, data, history }: RoundContext): Promise<number> {
  const { perRoundMax } = conjecturing(config.conjectures);
  if (perRoundMax !== 'unproved') return conjecturesMax(perRoundMax, data.train.count, 0);
  const best = await bestRates(store, await readManifests(store, history));
  let unproved = 0;
  for await (const { id } of readRecords(store, data.train, statementSchema)) if (!best.has(id)) unproved++;
  return conjecturesMax(perRoundMax, data.train.count, unproved);
}

/** Returns the keys of earlier rounds' conjectures that have no certified proof. */
async function openConjectures(store: ObjectStore, { history }: RoundContext): Promise<Set<string>> {
  const manifests = await readManifests(store, history);
  const best = await bestRates(store, manifests);
  const keys = new Set<string>();
  for await (const { id, header, statement } of conjecturesOf(store, manifests))
    if (!best.has(id)) keys.add(statementKey(header, statement));
  return keys;
}

/**
 * Returns the keys of the statements in the library and the training set, and of earlier conjectures. The same text
 * under another header is about other functions, so it has another key. A key takes about 100 bytes: four million keys,
 * fifty rounds of the paper's size, take 0.4 GB.
 */
async function takenKeys(store: ObjectStore, { data, history }: RoundContext): Promise<Set<string>> {
  const taken = new Set<string>();
  for await (const { statement } of readRecords(store, data.theorems, libraryTheoremSchema))
    taken.add(statementKey(null, statement));
  for await (const { header, statement } of readRecords(store, data.train, statementSchema))
    taken.add(statementKey(header, statement));
  for await (const { header, statement } of conjecturesOf(store, await readManifests(store, history)))
    taken.add(statementKey(header, statement));
  return taken;
}
