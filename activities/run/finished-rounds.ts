/**
 * Finds how far a run has come from the objects in its store: the states after its SFT and its rounds, and its report.
 */
import { StpError } from '@stp/base';
import type { ObjectStore } from '@stp/config/records';

/** Stands for the state before any round: data and SFT are done. */
export const SFT_ONLY = -1;

/** Returns the name of the state after `round`; `SFT_ONLY`: the state before any round. */
export const stateName = (round: number): string =>
  round === SFT_ONLY ? 'state/sft.json' : `state/round-${round}.json`;

/** Name of the object that marks a run as reported. */
export const REPORTED = 'reported.json';

async function finishedRounds(store: ObjectStore): Promise<number[]> {
  const rounds: number[] = [];
  for await (const { name } of store.list('state/')) {
    const match = /^state\/round-(\d+)\.json$/.exec(name);
    if (match) rounds.push(Number(match[1]));
    else if (name === stateName(SFT_ONLY)) rounds.push(SFT_ONLY);
  }
  return rounds.sort((a, b) => a - b);
}

export async function lastRound(store: ObjectStore): Promise<number> {
  return (await finishedRounds(store)).at(-1) ?? SFT_ONLY;
}

export async function describeRounds(store: ObjectStore): Promise<string> {
  const rounds = (await finishedRounds(store)).map((round) => (round === SFT_ONLY ? 'its SFT' : `round ${round}`));
  return rounds.length === 0 ? 'nothing yet' : rounds.join(', ');
}

/**
 * Throws STP1002 if the run was stopped before its last round and has its report. The files of a run are never
 * rewritten, so the report would stay unchanged after further rounds.
 */
export async function requireUnreported(run: string, store: ObjectStore, rounds: number): Promise<void> {
  if ((await store.stat(REPORTED)) === null) return;
  const last = await lastRound(store);
  if (last >= rounds) return;
  throw new StpError(
    'STP1002',
    `run ${run} was stopped after ${last === SFT_ONLY ? 'its SFT' : `round ${last}`} of ${rounds} and has its report`,
    `Continue in a new run: --init-from ${run}.`,
    { facts: { run, last, rounds } },
  );
}
