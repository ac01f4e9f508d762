/** Goals at which the last round's failed searches stood, as targets of conjectures (`conjectures.openGoalShare`). */

import type { RunConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import {
  type ArtifactRef,
  type ExpansionRecord,
  expansionSchema,
  type ObjectStore,
  type RoundManifest,
  type Statement,
} from '@stp/config/records';
import { closedGoals, goalStatement, hasHiddenNames, statementKey, workItemSchema } from '@stp/selfplay';
import type { Sources } from '../ports.ts';
import { groupSorted } from '../records/external-sort.ts';
import { readRecords } from '../records/record-files.ts';
import { heldOutTest } from './held-out.ts';

/** Goals of one statement: those of the states with the highest scores. */
const GOALS_PER_STATEMENT_MAX = 4;

export interface OpenGoal {
  readonly id: string;
  readonly header: string | null;
  /** `theorem NAME BINDERS : TYPE`. */
  readonly statement: string;
}

export interface OpenGoalsInput {
  readonly sources: Pick<Sources, 'definitions'>;
  readonly store: ObjectStore;
  readonly config: Pick<RunConfig, 'prover'>;
  /** Of the last round. */
  readonly manifest: Pick<RoundManifest, 'shards'>;
  /** Ids of statements with a certified proof in any round. */
  readonly proved: Pick<ReadonlySet<string>, 'has'>;
  /** Of `PreparedData.heldOutKeys`. */
  readonly heldOutKeys: ArtifactRef;
}

/** Each once; none that says what a held-out statement says, and none with names that no statement can have. */
export async function openGoals(input: OpenGoalsInput): Promise<OpenGoal[]> {
  const { sources, store, config, manifest, proved } = input;
  const isHeldOut = await heldOutTest(store, sources, config.prover, input.heldOutKeys);
  const found = new Map<string, OpenGoal>();
  for await (const { header, goals } of failedSearches(store, manifest, proved))
    for (const statement of goals) {
      const key = statementKey(header, statement);
      if (found.has(key) || isHeldOut({ header, statement })) continue;
      found.set(key, { id: contentId('open goal', key), header, statement });
    }
  return [...found.values()];
}

interface FailedSearch {
  readonly header: string | null;
  readonly goals: readonly string[];
}

async function* failedSearches(
  store: ObjectStore,
  { shards }: OpenGoalsInput['manifest'],
  proved: OpenGoalsInput['proved'],
): AsyncGenerator<FailedSearch> {
  for (const { items, search } of shards) {
    if (search === undefined) continue;
    const statements = new Map<string, Statement>();
    for await (const { statement, origin } of readRecords(store, items, workItemSchema))
      if (origin === 'dataset' && !proved.has(statement.id)) statements.set(statement.id, statement);
    const records = readRecords(store, search.expansions, expansionSchema);
    for await (const group of groupSorted<ExpansionRecord>(records, ({ statementId }) => statementId)) {
      const statement = statements.get(group[0]!.statementId);
      if (statement !== undefined) yield { header: statement.header, goals: openIn(group) };
    }
  }
}

/** The statement's own goal left out. */
function openIn(expansions: readonly ExpansionRecord[]): string[] {
  const closed = new Set(closedGoals(expansions).map(({ goal }) => goalStatement(goal)));
  return expansions
    .slice(1)
    .toSorted((one, other) => other.score - one.score)
    .map(({ goal }) => goalStatement(goal))
    .filter((statement) => !closed.has(statement) && !hasHiddenNames(statement))
    .slice(0, GOALS_PER_STATEMENT_MAX);
}
