/** A run's folder with known numbers, like one of the loop: state, manifests and record files, by the real store. */
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { statementId } from '@stp/config/ids';
import type {
  ArtifactRef,
  GateCounts,
  ObjectStore,
  Proved,
  RankerFigures,
  Rate,
  RoundManifest,
  RoundOutcome,
  ShardResult,
  Statement,
} from '@stp/config/records';
import { CERTIFICATE } from '@stp/config/testing';
import { SECOND_KERNEL } from '@stp/lean-verifier';
import { writeRecords } from '../../activities/records/record-files.ts';
import type { ConjectureRecord } from '../../activities/round/conjecture-records.ts';
import type { GrownRecord } from '../../activities/round/library.ts';
import type { RunState } from '../../activities/run/run-state.ts';
import { openStore } from '../../infra/stores/open-store.ts';

export interface SyntheticConjecture extends Pick<ConjectureRecord, 'found' | 'chosenBy'> {
  readonly statement: string;
  readonly successes: number;
}

export interface SyntheticRound {
  /** Number of samples of every statement. */
  readonly samples: number;
  /** Shards, as numbers of successes by the index of the attempted dataset statement. */
  readonly shards: readonly Readonly<Record<number, number>>[];
  /** Conjectures of the first shard. */
  readonly conjectures?: readonly SyntheticConjecture[];
  readonly ranker?: RankerFigures;
  /** Counts of texts that the gate stopped. */
  readonly gate?: GateCounts;
  readonly infra?: number;
  readonly kernelsDisagreed?: number;
  readonly secondsPerStage?: Readonly<Record<string, number>>;
  readonly proof?: string;
  /** Axioms of its certified proofs, by the statement's name. */
  readonly certified?: Readonly<Record<string, Pick<Proved['certificate'], 'axioms'>>>;
  /** Author of the round's proofs; missing: the model. */
  readonly provedBy?: string;
  /** Grown theorems that its certified proofs rest on, of statements and of conjectures. */
  readonly restsOn?: readonly string[];
  readonly conjecturesRestOn?: readonly string[];
  /** Theorems by which the library had grown. */
  readonly grown?: readonly GrownRecord[];
}

export interface SyntheticRun {
  readonly preset?: string;
  readonly seed?: number;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly statements: readonly string[];
  /** Labels of each statement; missing: no labels. */
  readonly labels?: readonly (readonly string[])[];
  /** Rounds in order; null: a round that was given up. */
  readonly rounds: readonly (SyntheticRound | null)[];
  readonly failures?: RunState['failures'];
}

/** Milliseconds that Lean spends on a sample of a synthetic run. */
export const CHECK_MS = 20;

export interface MadeRun {
  readonly uri: string;
  readonly store: ObjectStore;
  readonly state: RunState;
}

export async function makeRun(directory: string, run: SyntheticRun): Promise<MadeRun> {
  const uri = pathToFileURL(directory).href;
  const store = await openStore(uri);
  const config = resolveConfig({
    preset: run.preset ?? 'smoke',
    set: run.set ?? {},
    flags: { rounds: Math.max(1, run.rounds.length - 1), seed: run.seed ?? 1 },
  });
  const statements = run.statements.map((text, index) => ({
    ...asStatement(text),
    labels: [...(run.labels?.[index] ?? [])],
  }));
  const none = await writeRecords(store, 'data/none.jsonl', []);
  const file = async (name: string): Promise<ArtifactRef> => store.put(name, `${name}\n`);
  const checkpoint = async (name: string) => ({
    manifest: await file(`checkpoints/${name}/files.json`),
    model: `model-${name}`,
  });
  const sftCheckpoint = await checkpoint('sft');
  const outcomes: RoundOutcome[] = [];
  const everProved = new Set<string>();
  let model = sftCheckpoint.model;
  for (const [round, spec] of run.rounds.entries()) {
    if (spec === null) continue;
    const made = await makeRound(store, round, spec, statements, model, everProved);
    const next = await checkpoint(`round-${round}`);
    outcomes.push({
      round,
      manifest: made.ref,
      checkpoint: next,
      counts: made.manifest.counts,
      secondsPerStage: { ...(spec.secondsPerStage ?? { prove: 10, train: 5 }) },
    });
    model = next.model;
  }
  const state: RunState = {
    config,
    hostQueues: [],
    data: {
      train: await writeRecords(store, 'data/train/statements.jsonl', statements),
      heldOut: none,
      heldOutKeys: none,
      canaries: none,
      sft: none,
      sftEval: none,
      theorems: none,
      counts: {
        libraryProofs: 7,
        searchedProofs: 3,
        conjecturerExamples: 2,
        excludedForHeldOut: 0,
        trainExcludedForHeldOut: 0,
      },
    },
    sft: { checkpoint: sftCheckpoint, steps: 10, loss: 1.5, tokens: 100, seconds: 2 },
    checkpoint: { ...sftCheckpoint, model },
    outcomes,
    skipped: run.rounds.flatMap((spec, round) => (spec === null ? [round] : [])),
    failures: [...(run.failures ?? [])],
    nextRound: run.rounds.length,
    replayFrom: 0,
    evaluations: [],
    secondsPerStage: { sft: 2, prove: 10, train: 5 },
    machineTime: [],
  };
  await store.put(`state/round-${run.rounds.length - 1}.json`, `${JSON.stringify(state)}\n`);
  return { uri, store, state };
}

const asStatement = (text: string): Statement => ({
  id: statementId(null, text),
  name: /theorem\s+(\S+)/.exec(text)![1]!,
  header: null,
  statement: text,
  split: 'train',
  labels: [],
  weight: 1,
});

async function makeRound(
  store: ObjectStore,
  round: number,
  spec: SyntheticRound,
  statements: readonly Statement[],
  model: string,
  everProved: Set<string>,
) {
  const folder = `rounds/${round}-${model}`;
  const conjectures = (spec.conjectures ?? []).map(({ statement }) => asStatement(statement));
  const proved: Proved[] = [];
  const rates: Rate[] = [];
  const count = (statement: Statement, origin: Rate['origin'], successes: number): void => {
    const rate = { statementId: statement.id, origin, attempts: spec.samples, successes };
    rates.push(rate);
    if (successes > 0)
      proved.push(asProved(statement, origin, round, successes / spec.samples, spec.provedBy ?? model, spec));
    if (successes > 0 && origin === 'dataset') everProved.add(statement.id);
  };
  const shards: ShardResult[] = [];
  for (const [index, attempted] of spec.shards.entries()) {
    const dataset = Object.entries(attempted).map(([at, successes]) => ({
      statement: statements[Number(at)]!,
      successes,
    }));
    const own = index === 0 ? conjectures : [];
    const items = [
      ...dataset.map(({ statement }) => ({ statement, origin: 'dataset', samples: spec.samples })),
      ...own.map((statement) => ({ statement, origin: 'conjecture', samples: spec.samples })),
    ];
    for (const { statement, successes } of dataset) count(statement, 'dataset', successes);
    for (const [at, statement] of own.entries()) count(statement, 'conjecture', spec.conjectures![at]!.successes);
    const samples = items.length * spec.samples;
    const ref = await writeRecords(store, `${folder}/shard-${index}/items.jsonl`, items);
    shards.push({
      items: ref,
      // Unreadable references show that the report reads no samples and verdicts.
      samples: { ...ref, uri: `${ref.uri}.none` },
      verdicts: { ...ref, uri: `${ref.uri}.none` },
      sampleCount: samples,
      distinctCount: samples,
      tokens: 10 * samples,
      verdictCounts: {},
      provedStatements: 0,
      checkMs: CHECK_MS * samples,
    });
  }
  const samples = shards.reduce((sum, shard) => sum + shard.sampleCount, 0);
  const accepted = rates.reduce((sum, rate) => sum + rate.successes, 0);
  const infra = spec.infra ?? 0;
  const gate = spec.gate ?? {};
  const refused = Object.values(gate).reduce((sum, number) => sum + number, 0);
  const conjecturesProved = proved.filter(({ origin }) => origin === 'conjecture').length;
  const provedThisRound = proved.length - conjecturesProved;
  const manifest: RoundManifest = {
    round,
    modelIn: model,
    rates: await writeRecords(store, `${folder}/rates.jsonl`, rates),
    proved: await writeRecords(
      store,
      `${folder}/proved.jsonl`,
      // Two passes, of which the first is for conjectures.
      spec.conjecturesRestOn === undefined
        ? proved
        : proved.toSorted((a, b) => Number(a.origin === 'dataset') - Number(b.origin === 'dataset')),
    ),
    library: spec.grown === undefined ? null : await writeRecords(store, `${folder}/library.jsonl`, spec.grown),
    conjectures:
      conjectures.length === 0
        ? null
        : await writeRecords(
            store,
            `${folder}/conjectures.jsonl`,
            conjectures.map(
              (statement, at): ConjectureRecord => ({
                ...statement,
                found: spec.conjectures![at]!.found,
                chosenBy: spec.conjectures![at]!.chosenBy,
                seedId: statements[0]!.id,
                lemma: null,
                round,
                origin: { kind: 'target', targetStatement: statements[0]!.statement },
              }),
            ),
          ),
    conjecturerExamples: null,
    examples: null,
    shards,
    counts: {
      attempted: rates.filter(({ origin }) => origin === 'dataset').length,
      samples,
      distinctSamples: samples,
      tokens: 10 * samples,
      leanSeconds: (samples * CHECK_MS) / 1_000,
      conjecturesMade: conjectures.length + refused,
      conjecturesAttempted: conjectures.length,
      conjecturesProved,
      conjecturesMatched: conjecturesProved,
      conjecturesKept: conjecturesProved,
      ...(spec.ranker === undefined ? {} : { ranker: spec.ranker }),
      gate: conjectures.length === 0 ? gate : { ...gate, accepted: conjectures.length },
      verdicts: { proved: accepted, rejected: samples - accepted - infra, ...(infra === 0 ? {} : { infra }) },
      provedThisRound,
      provedEver: everProved.size,
      certified: proved.length,
      kernelsDisagreed: spec.kernelsDisagreed ?? 0,
      proverExamples: proved.length,
      conjecturerExamples: conjecturesProved,
    },
  };
  return { manifest, ref: await store.put(`${folder}/manifest.json`, `${JSON.stringify(manifest)}\n`) };
}

function asProved(
  statement: Statement,
  origin: Rate['origin'],
  round: number,
  passRate: number,
  model: string,
  spec: SyntheticRound,
): Proved {
  return {
    statementId: statement.id,
    name: statement.name,
    header: null,
    statement: statement.statement,
    proof: spec.proof ?? 'simp',
    origin,
    round,
    passRate,
    premises: [],
    model,
    seed: 5,
    leanVersion: 'Lean 4.test',
    certificate: {
      ...CERTIFICATE,
      leanVersion: 'Lean 4.test',
      fileHash: 'a'.repeat(64),
      axioms: ['propext'],
      restsOn: [...((origin === 'dataset' ? spec.restsOn : spec.conjecturesRestOn) ?? [])],
      // Only proofs of dataset statements have a check by the second kernel.
      ...(origin === 'dataset'
        ? { checks: [{ by: SECOND_KERNEL.name, version: '1', outcome: 'accepted' as const, ms: 1 }] }
        : {}),
      ...spec.certified?.[statement.name],
    },
    checkMs: CHECK_MS,
  };
}
