/**
 * Writes a round without a model: statements, samples and verdicts follow rules, as a stream, so every figure that
 * selection must compute is known beforehand. For tests of selection at scale and for its bench.
 */

import type { RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  type ObjectStore,
  type Sample,
  type ShardResult,
  type Statement,
  shardFolder,
  type Verdict,
} from '@stp/config/records';
import { certificateOf } from '@stp/config/testing';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { proverExample, type WorkItem, type workItemSchema } from '@stp/selfplay';
import type { z } from 'zod';
import { writeRecords } from '../../activities/records/record-files.ts';
import type { ConjectureRecord } from '../../activities/round/conjecture-records.ts';
import type { RoundContext } from '../../activities/round/round-context.ts';
import type { PreparedData } from '../../activities/run/prepared-data.ts';

/** Samples a statement; one of them has the text of the first again. */
export const SAMPLES_PER_STATEMENT = 32;
/** Number of that one. */
export const REPEATS_FIRST = SAMPLES_PER_STATEMENT / 2;
const CANARY_EVERY = 1_000;
export const SFT_EXAMPLES = 50;

/** The fate of statement `index`. About a sixth of all samples are proofs. */
export interface Fate {
  readonly origin: WorkItem['origin'];
  /** Samples below this number are proofs; the one that repeats the first sample's text is as the first. */
  readonly proofs: number;
  /** Has the last sample no verdict? */
  readonly infra: boolean;
  readonly usesLemma: boolean;
}

export function fateOf(index: number): Fate {
  const canary = index % CANARY_EVERY === 0;
  return {
    origin: canary ? 'canary' : index % 4 === 3 ? 'conjecture' : 'dataset',
    proofs: canary || index % 10 < 7 ? 0 : (index * 7) % SAMPLES_PER_STATEMENT,
    infra: index % 5 === 0,
    usesLemma: index % 8 === 3,
  };
}

const statementId = (index: number): string => `statement-${index}`;
const sampleId = (index: number, text: number): string => `${statementId(index)}-${text}`;
const lemmaOf = (index: number): string => `Stp.lemma${index % 7}`;

function statementOf(index: number): Statement {
  return {
    id: statementId(index),
    name: `s${index}`,
    header: null,
    statement: `theorem s${index} (n m : Nat) (h : n = m) : n + ${index} + m * 2 = ${index} + 3 * m`,
    split: 'train',
    labels: ['synthetic'],
    weight: 1,
  };
}

function conjectureOf(index: number, round: number): ConjectureRecord {
  return {
    ...statementOf(index),
    seedId: statementId(index - 1),
    lemma: lemmaOf(index),
    round,
    origin: {
      kind: 'seed',
      lemmaStatement: 'theorem l (n : Nat) : n + 0 = n',
      easyStatement: statementOf(index - 1).statement,
      easyProof: 'induction n with\n| zero => simp\n| succ n ih => omega',
    },
  };
}

function sampleOf(index: number, number: number): Sample {
  const indices = number === 0 ? [0, REPEATS_FIRST] : [number];
  return {
    id: sampleId(index, number),
    statementId: statementId(index),
    proof: `induction n with\n| zero => simp [Nat.add_comm, h]\n| succ n ih =>\n  have := ih\n  omega -- ${index} ${number}`,
    tokens: 40,
    logprob: -12.5,
    seed: number,
    model: 'synthetic',
    multiplicity: indices.length,
    indices,
    finish: 'stop',
  };
}

function verdictOf(index: number, number: number, fate: Fate): Verdict {
  const noVerdict = fate.infra && number === SAMPLES_PER_STATEMENT - 1;
  const kind = noVerdict ? 'infra' : number < fate.proofs ? 'proved' : 'rejected';
  const message = {
    severity: 'error' as const,
    line: 2,
    column: 4,
    text: 'unsolved goals\nn m : Nat\nh : n = m\n⊢ False',
  };
  return {
    sampleId: sampleId(index, number),
    kind,
    messages: kind === 'rejected' ? [message] : [],
    premises: fate.usesLemma ? ['Nat.add_comm', lemmaOf(index)] : ['Nat.add_comm'],
    axioms: [],
    checkMs: 12.5,
    leanVersion: 'synthetic',
    ...(kind === 'proved'
      ? {
          certificate: certificateOf(LIBRARY_HEADER, statementOf(index).statement, sampleOf(index, number).proof),
        }
      : {}),
  };
}

export interface SyntheticRound {
  readonly context: RoundContext;
  readonly shards: readonly ShardResult[];
  readonly conjectures: ArtifactRef;
}

/** Writes statements, conjectures, an SFT set and the shards of `samples` samples, a multiple of 32. */
export async function writeSyntheticRound(
  store: ObjectStore,
  config: RunConfig,
  samples: number,
  statementsPerShard: number,
): Promise<SyntheticRound> {
  const statements = samples / SAMPLES_PER_STATEMENT;
  const round = 1;
  const name = 'rounds/1-synthetic';
  function* all<T>(origin: Fate['origin'], make: (index: number) => T): Generator<T> {
    for (let index = 0; index < statements; index++) if (fateOf(index).origin === origin) yield make(index);
  }
  function* sft() {
    for (let index = 0; index < SFT_EXAMPLES; index++) yield proverExample(`theorem t : ${index} = ${index}`, 'rfl', 1);
  }
  const empty = await writeRecords(store, 'data/empty.jsonl', []);
  const data: PreparedData = {
    train: await writeRecords(store, 'data/train.jsonl', all('dataset', statementOf)),
    heldOut: empty,
    heldOutKeys: empty,
    canaries: empty,
    sft: await writeRecords(store, 'data/sft.jsonl', sft()),
    sftEval: empty,
    theorems: empty,
    counts: {
      libraryProofs: 0,
      searchedProofs: 0,
      conjecturerExamples: 0,
      excludedForHeldOut: 0,
      trainExcludedForHeldOut: 0,
    },
  };
  const conjectures = await writeRecords(
    store,
    `${name}/conjectures.jsonl`,
    all('conjecture', (index) => conjectureOf(index, round)),
  );
  const shards: ShardResult[] = [];
  for (let from = 0; from < statements; from += statementsPerShard) {
    const to = Math.min(from + statementsPerShard, statements);
    shards.push(await writeShard(store, shardFolder(name, shards.length), from, to));
  }
  return {
    context: { run: 'synthetic', round, name, config, data, history: [], replayFrom: 0, library: null },
    shards,
    conjectures,
  };
}

async function writeShard(store: ObjectStore, name: string, from: number, to: number): Promise<ShardResult> {
  function* items(): Generator<z.input<typeof workItemSchema>> {
    for (let index = from; index < to; index++)
      yield { statement: statementOf(index), origin: fateOf(index).origin, samples: SAMPLES_PER_STATEMENT };
  }
  function* each<T>(make: (index: number, number: number) => T): Generator<T> {
    for (let index = from; index < to; index++)
      for (let number = 0; number < SAMPLES_PER_STATEMENT; number++)
        if (number !== REPEATS_FIRST) yield make(index, number);
  }
  const sampleCount = (to - from) * SAMPLES_PER_STATEMENT;
  return {
    items: await writeRecords(store, `${name}/items.jsonl`, items()),
    samples: await writeRecords(store, `${name}/samples.jsonl`, each(sampleOf)),
    verdicts: await writeRecords(
      store,
      `${name}/verdicts.jsonl`,
      each((index, number) => verdictOf(index, number, fateOf(index))),
    ),
    sampleCount,
    distinctCount: sampleCount - (to - from),
    tokens: 40 * sampleCount,
    verdictCounts: {},
    provedStatements: 0,
    checkMs: 0,
  };
}
