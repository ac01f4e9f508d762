/** Computes the figures of a run from its state and its rounds' record files, one round after the other. */
import { changedValues } from '@stp/config';
import type { CHOOSERS, Evaluation, ObjectStore, RunCost, Summary, TrackingLink } from '@stp/config/records';
import { portfolioFigures } from '../provers/scripts/portfolio.ts';
import { readRecords } from '../records/record-files.ts';
import { grownTheorems } from '../round/library.ts';
import { lastManifest } from '../run/history.ts';
import type { RunState } from '../run/run-state.ts';
import type { FoundBy, ListedLemma, LossPoint, RoundFigures, RunFigures } from './figures.ts';
import { type Gathering, gatherRound, LISTED_MAX, labelledSchema, newLists } from './gather-round.ts';
import { LibraryTally } from './library-progress.ts';
import { summarise } from './summary.ts';
import { TopList } from './top-list.ts';

export interface RunSource {
  readonly run: string;
  readonly store: ObjectStore;
  readonly state: RunState;
  readonly evaluation: Evaluation | null;
  readonly finished: boolean;
  /** Null: use the version in the proofs. */
  readonly leanVersion: string | null;
  /** Known objections to the result, in addition to those of the certificates. */
  readonly ineligibleBecause: readonly string[];
  readonly losses: readonly LossPoint[];
  /** Null if no account was kept. */
  readonly cost: RunCost;
  /** Links to the run in trackers. */
  readonly tracking: readonly TrackingLink[];
}

export async function gatherRun(source: RunSource): Promise<RunFigures> {
  const { run, store, state } = source;
  const { config, sft } = state;
  const library = new LibraryTally();
  for await (const one of readRecords(store, state.data.train, labelledSchema)) library.addStatement(one);
  const gathering: Gathering = {
    store,
    config,
    sftModel: sft.checkpoint.model,
    library,
    samples: 0,
    provedEver: new Set(),
    provedBySft: new Set(),
    leanVersion: 'no proof yet',
    ineligibleBecause: new Set(source.ineligibleBecause),
    lemmaUses: new Map(),
    grown: new Map(),
    chains: new Map(),
    choosers: new Map(),
    progress: [{ samples: 0, proved: 0, round: 0 }],
    found: {
      dataset: { samples: new Set(), scripts: new Set() },
      conjecture: { samples: new Set(), scripts: new Set() },
    },
    ...newLists(),
  };
  const rounds: RoundFigures[] = [];
  for (const outcome of state.outcomes) rounds.push(await gatherRound(gathering, outcome));
  const { provedEver, provedBySft } = gathering;
  const secondKernel = { accepted: 0, declined: 0, none: 0 };
  for (const round of rounds)
    for (const said of ['accepted', 'declined', 'none'] as const) secondKernel[said] += round.secondKernel[said];
  const conjecturesProved = rounds.reduce((sum, round) => sum + round.counts.conjecturesProved, 0);
  const summary = summarise({
    run,
    state,
    evaluation: source.evaluation,
    leanVersion: source.leanVersion ?? gathering.leanVersion,
    proofsInFile: provedEver.size + conjecturesProved,
    ineligibleBecause: [...gathering.ineligibleBecause],
    secondKernel,
  });
  const libraries = library.figures(state.nextRound);
  return {
    run,
    config,
    changed: changedValues(config),
    summary: {
      ...summary,
      ...(gathering.choosers.size === 0
        ? {}
        : { conjectures: { ...summary.conjectures, by: conjecturesBy(gathering) } }),
      portfolio: await portfolioFigures(store),
      ...(source.tracking.length === 0 ? {} : { tracking: [...source.tracking] }),
      ...(libraries.sets.length === 0 ? {} : { libraries: [...libraries.sets] }),
      cost: source.cost,
    },
    evaluation: source.evaluation,
    finished: source.finished,
    sftModel: sft.checkpoint.model,
    progress: gathering.progress,
    rounds,
    skipped: state.skipped,
    failures: state.failures,
    losses: source.losses,
    library: libraries,
    newlyProved: {
      count: provedEver.difference(provedBySft).size,
      listed: gathering.newlyProved.best().filter(({ statementId }) => !provedBySft.has(statementId)),
    },
    foundBy: { dataset: foundBy(gathering.found.dataset), conjecture: foundBy(gathering.found.conjecture) },
    hardest: gathering.hardest.best(),
    lemmas: await usedLemmas(gathering, state),
  };
}

function foundBy({ samples, scripts }: Gathering['found']['dataset']): FoundBy {
  return {
    samplesOnly: samples.difference(scripts).size,
    scriptsOnly: scripts.difference(samples).size,
    both: samples.intersection(scripts).size,
  };
}

/** Counts conjectures by chooser; each counts once, in the round that attempted it first. */
function conjecturesBy({ choosers, found, grown, lemmaUses }: Gathering): Summary['conjectures']['by'] {
  const proved = found.conjecture.samples.union(found.conjecture.scripts);
  const used = new Set([...grown].flatMap(([name, { statementId }]) => (lemmaUses.has(name) ? [statementId] : [])));
  const of = (chooser: (typeof CHOOSERS)[number]) => {
    const own = new Set([...choosers].flatMap(([id, its]) => (its === chooser ? [id] : [])));
    return {
      attempted: own.size,
      proved: own.intersection(proved).size,
      used: own.intersection(used).size,
    };
  };
  return { order: of('order'), ranked: of('ranked'), written: of('written') };
}

async function usedLemmas({ store, lemmaUses }: Gathering, { outcomes }: RunState): Promise<RunFigures['lemmas']> {
  const used = { dataset: 0, conjecture: 0 };
  const list = new TopList<ListedLemma>(
    LISTED_MAX,
    (a, b) => b.statements - a.statements || b.proofs - a.proofs || a.statement.length - b.statement.length,
  );
  const last = await lastManifest(
    store,
    outcomes.map(({ manifest }) => manifest),
  );
  for await (const { name, round, origin, statement } of grownTheorems(store, last?.library ?? null)) {
    const uses = lemmaUses.get(name);
    if (uses === undefined) continue;
    used[origin]++;
    const { proofs, statements, example } = uses;
    list.offer(name, { name, round, origin, statement, proofs, statements: statements.size, example });
  }
  return { conjecturesUsed: used.conjecture, statementsUsed: used.dataset, listed: list.best() };
}
