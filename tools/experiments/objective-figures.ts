/** What a finished run of the comparison of objectives cost and found, from its store. */
import { pathToFileURL } from 'node:url';
import { provedSchema, type ShardResult, searchFiguresSchema } from '@stp/config/records';
import { displayProof } from '@stp/selfplay';
import { z } from 'zod';
import { readJson, readRecords } from '../../activities/records/record-files.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { readManifests } from '../../activities/run/history.ts';

export interface RunFigures {
  /** Lean's time in each round: for samples, and for the steps of walks and searches. */
  readonly leanSeconds: ReadonlyMap<number, number>;
  /** Means over the statements that were proved, of all rounds together. */
  readonly proofs: number;
  readonly premiseSets: number;
  /** Of the SFT model's searches for held-out statements: seconds of Lean, and whether a proof was found; empty without searches. */
  readonly heldOutSearches: readonly HeldOutSearch[];
}

export interface HeldOutSearch {
  readonly leanSeconds: number;
  readonly found: boolean;
}

const leanMs = ({ checkMs, figures, search }: ShardResult): number =>
  checkMs + (figures?.walksLeanMs ?? 0) + (search?.figures.leanMs ?? 0);

export async function figuresOfRun(folder: string): Promise<RunFigures> {
  const { store, state } = await openRun(pathToFileURL(folder).href);
  const manifests = await readManifests(
    store,
    state.outcomes.map(({ manifest }) => manifest),
  );
  const proofs = new Map<string, Set<string>>();
  const premises = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, statement: string, value: string): void => {
    to.set(statement, (to.get(statement) ?? new Set()).add(value));
  };
  for (const { proved } of manifests)
    for await (const proof of readRecords(store, proved, provedSchema)) {
      add(proofs, proof.statementId, displayProof(proof.proof));
      add(premises, proof.statementId, [...proof.premises].sort().join(' '));
    }
  const mean = (sets: Map<string, Set<string>>): number =>
    [...sets.values()].reduce((sum, set) => sum + set.size, 0) / Math.max(1, sets.size);
  const seconds = manifests.map(
    ({ round, shards }) => [round, shards.reduce((sum, shard) => sum + leanMs(shard), 0) / 1_000] as const,
  );
  const model = state.sft.checkpoint.model.slice(0, MODEL_DIGITS);
  return {
    leanSeconds: new Map(seconds),
    proofs: mean(proofs),
    premiseSets: mean(premises),
    heldOutSearches: await searchesIn(store, `evaluation/${model}/`),
  };
}

/** Of a model's name in the names of folders. */
const MODEL_DIGITS = 8;
const searchedSchema = z.object({ figures: searchFiguresSchema });

async function searchesIn(
  store: Awaited<ReturnType<typeof openRun>>['store'],
  folder: string,
): Promise<HeldOutSearch[]> {
  const searches: HeldOutSearch[] = [];
  for await (const { name } of store.list(folder)) {
    if (!/\/search\/statements\/[^/]+\.json$/u.test(name)) continue;
    const { figures } = await readJson(store, (await store.stat(name))!, searchedSchema);
    searches.push({ leanSeconds: figures.leanMs / 1_000, found: figures.found > 0 });
  }
  return searches;
}

/** Statements whose proof a search found within so many seconds of Lean each. */
export const foundWithin = (searches: readonly HeldOutSearch[], seconds: number): number =>
  searches.filter(({ found, leanSeconds }) => found && leanSeconds <= seconds).length;
