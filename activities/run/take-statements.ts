/** Chooses a run's statements from its problem sets. */

import { StpError } from '@stp/base';
import { isInWords, type RunConfig } from '@stp/config';
import { wordsId } from '@stp/config/ids';
import type { Split, Statement } from '@stp/config/records';
import { matchingWeight, randomStream } from '@stp/selfplay';
import type { DataSources } from '../ports.ts';

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
