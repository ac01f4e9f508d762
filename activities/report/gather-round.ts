/**
 * Computes the figures of one round from its manifest and record files, streamed. Samples and verdicts are not read,
 * since the manifest has their sums.
 */

import type { RunConfig } from '@stp/config';
import {
  type Chooser,
  type ObjectStore,
  type Proved,
  provedSchema,
  type RoundManifest,
  type RoundOutcome,
  rateSchema,
  roundManifestSchema,
} from '@stp/config/records';
import { statementSymbols, workItemSchema } from '@stp/selfplay';
import { z } from 'zod';
import { SCRIPTS_MODEL } from '../provers/scripts/portfolio.ts';
import { readJson, readRecords } from '../records/record-files.ts';
import { secondOpinion, whyIneligible } from '../round/certificate-record.ts';
import { chooserOf, conjectureRecordSchema } from '../round/conjecture-records.ts';
import { grownTheorems } from '../round/library.ts';
import { addRate, bandOf, emptyHistogram, isInBand } from './distribution.ts';
import type { ProgressPoint, RoundFigures } from './figures.ts';
import type { LibraryTally } from './library-progress.ts';
import { TopList } from './top-list.ts';

/** The fields of a dataset statement that are read here. */
export const labelledSchema = z.object({ id: z.string(), labels: z.array(z.string()) });

/** Most points of the progress line in a round; more could not be distinguished. */
const PROGRESS_POINTS_MAX = 64;
/** Most proofs in a list on the page. */
export const LISTED_MAX = 25;

/** The proofs that rest on a grown theorem. */
export interface LemmaUses {
  proofs: number;
  /** The dataset statements among those proved. */
  readonly statements: Set<string>;
  /** Name of one of these statements. */
  example: string | null;
}

export interface GrownFacts {
  readonly statementId: string;
  readonly isConjecture: boolean;
  /** Length of the longest chain that ends with the theorem; null while the round that proved it is read. */
  chain: number | null;
}

/** State that is carried from round to round. */
export interface Gathering {
  readonly store: ObjectStore;
  readonly config: RunConfig;
  readonly sftModel: string;
  samples: number;
  readonly provedEver: Set<string>;
  /** Dataset statements that the SFT model proved in any round; they are no success of self-play. */
  readonly provedBySft: Set<string>;
  readonly library: LibraryTally;
  /** Version of Lean in the last proof read. */
  leanVersion: string;
  /** Reasons why the result is not eligible, from all certificates. */
  readonly ineligibleBecause: Set<string>;
  readonly progress: ProgressPoint[];
  /** Uses by the name of a grown theorem. */
  readonly lemmaUses: Map<string, LemmaUses>;
  readonly grown: Map<string, GrownFacts>;
  /** Chain lengths of the statements certified in the last round read, by id; see `GrownFacts.chain`. */
  chains: Map<string, number>;
  /** Statements and conjectures by what found their proofs, in any round. */
  readonly found: {
    readonly [Origin in Proved['origin']]: { readonly samples: Set<string>; readonly scripts: Set<string> };
  };
  /** What chose each conjecture when it was first attempted, by id. */
  readonly choosers: Map<string, Chooser>;
  readonly newlyProved: TopList<Proved>;
  readonly hardest: TopList<Proved>;
}

const shorterFirst = (a: Proved, b: Proved): number =>
  a.proof.length - b.proof.length || (a.statementId < b.statementId ? -1 : 1) || (a.proof < b.proof ? -1 : 1);

export const newLists = (): Pick<Gathering, 'newlyProved' | 'hardest'> => {
  const byRate = (a: Proved, b: Proved): number => a.passRate - b.passRate || shorterFirst(a, b);
  return { newlyProved: new TopList(LISTED_MAX, byRate), hardest: new TopList(LISTED_MAX, byRate) };
};

/** Returns the round's figures and adds its data to `gathering`. */
export async function gatherRound(gathering: Gathering, outcome: RoundOutcome): Promise<RoundFigures> {
  const { store, config } = gathering;
  const manifest = await readJson(store, outcome.manifest, roundManifestSchema);
  const functions = await functionSets(gathering, manifest);
  await readGrown(gathering, manifest);
  const chains = new Map<string, number>();
  // A round's conjectures come before the statements whose proofs may rest on them.
  const chainOf = ({ statementId, chain }: GrownFacts): number => chain ?? chains.get(statementId) ?? 1;
  const firstProved = new Map<string, boolean>();
  const provedNow = new Set<string>();
  let proofsWithGrown = 0;
  const secondKernel = { accepted: 0, declined: 0, none: 0 };
  for await (const proof of readRecords(store, manifest.proved, provedSchema)) {
    provedNow.add(proof.statementId);
    gathering.library.addProof(proof, manifest.round);
    gathering.found[proof.origin][proof.model === SCRIPTS_MODEL ? 'scripts' : 'samples'].add(proof.statementId);
    gathering.leanVersion = proof.leanVersion;
    for (const reason of whyIneligible(proof.certificate.sandbox)) gathering.ineligibleBecause.add(reason);
    secondKernel[secondOpinion(proof)]++;
    const restsOn = proof.certificate.restsOn;
    if (restsOn.length > 0) proofsWithGrown++;
    for (const lemma of restsOn) addUse(gathering.lemmaUses, lemma, proof);
    const { statementId } = proof;
    const under = restsOn.flatMap((lemma) => gathering.grown.get(lemma) ?? []);
    const chain = 1 + Math.max(0, ...under.map(chainOf));
    chains.set(statementId, Math.min(chain, chains.get(statementId) ?? chain));
    if (proof.origin === 'dataset' && !gathering.provedEver.has(statementId))
      firstProved.set(
        statementId,
        (firstProved.get(statementId) ?? true) && under.some(({ isConjecture }) => isConjecture),
      );
    if (proof.origin === 'conjecture') gathering.hardest.offer(proof.statementId, proof);
    else if (proof.model === gathering.sftModel) gathering.provedBySft.add(proof.statementId);
    else if (!gathering.provedEver.has(proof.statementId)) gathering.newlyProved.offer(proof.statementId, proof);
  }

  const rates = { dataset: emptyHistogram(), conjecture: emptyHistogram() };
  let conjecturesInBand = 0;
  const band = bandOf(config);
  for await (const rate of readRecords(store, manifest.rates, rateSchema)) {
    addRate(rates[rate.origin], rate);
    if (rate.origin === 'conjecture' && provedNow.has(rate.statementId) && isInBand(rate, band)) conjecturesInBand++;
  }
  for (const { sandbox } of manifest.shards)
    for (const reason of sandbox === undefined ? [] : whyIneligible(sandbox)) gathering.ineligibleBecause.add(reason);
  await addProgress(gathering, manifest, provedNow);
  for (const lemma of gathering.grown.values()) lemma.chain = chainOf(lemma);
  gathering.chains = chains;
  return {
    round: manifest.round,
    model: manifest.modelIn,
    counts: manifest.counts,
    shards: manifest.shards,
    secondsPerStage: outcome.secondsPerStage,
    checkMs: manifest.shards.reduce((sum, shard) => sum + shard.checkMs, 0),
    rates,
    conjecturesInBand,
    libraryGrown: manifest.library?.count ?? 0,
    proofsWithGrown,
    functionSets: {
      attempted: new Set(functions.values()).size,
      proved: new Set([...functions].flatMap(([id, its]) => (provedNow.has(id) ? [its] : []))).size,
    },
    chain: Math.max(0, ...[...chains.values()].map((length) => length - 1)),
    firstProved: {
      statements: firstProved.size,
      onConjectures: [...firstProved.values()].filter(Boolean).length,
    },
    secondKernel,
  };
}

/** Reads the theorems that joined the library before the round's statements were tried. */
async function readGrown({ store, grown, chains }: Gathering, { library }: RoundManifest): Promise<void> {
  for await (const { name, statementId, origin } of grownTheorems(store, library))
    if (!grown.has(name))
      grown.set(name, { statementId, isConjecture: origin === 'conjecture', chain: chains.get(statementId) ?? null });
}

function addUse(uses: Map<string, LemmaUses>, lemma: string, proof: Proved): void {
  const seen = uses.get(lemma) ?? { proofs: 0, statements: new Set(), example: null };
  uses.set(lemma, seen);
  seen.proofs++;
  if (proof.origin === 'dataset') {
    seen.statements.add(proof.statementId);
    seen.example ??= proof.name;
  }
}

/**
 * Returns the functions that each of the round's conjectures mentions, by id, and records the choosers of new
 * conjectures.
 */
async function functionSets({ store, choosers }: Gathering, { conjectures }: RoundManifest) {
  const functions = new Map<string, string>();
  for await (const conjecture of conjectures === null ? [] : readRecords(store, conjectures, conjectureRecordSchema)) {
    const { id, statement } = conjecture;
    if (!choosers.has(id)) choosers.set(id, chooserOf(conjecture));
    functions.set(id, [...statementSymbols(statement)].sort().join(' '));
  }
  return functions;
}

/** Extends the progress line, shard by shard. A statement is in only one shard of a round. */
async function addProgress(
  gathering: Gathering,
  manifest: RoundManifest,
  provedNow: ReadonlySet<string>,
): Promise<void> {
  const { store, progress, provedEver } = gathering;
  const every = Math.ceil(manifest.shards.length / PROGRESS_POINTS_MAX);
  for (const [position, shard] of manifest.shards.entries()) {
    for await (const { statement, origin } of readRecords(store, shard.items, workItemSchema))
      if (origin === 'dataset' && provedNow.has(statement.id)) provedEver.add(statement.id);
    gathering.samples += shard.sampleCount;
    if ((position + 1) % every === 0 || position + 1 === manifest.shards.length)
      progress.push({ samples: gathering.samples, proved: provedEver.size, round: manifest.round });
  }
}
