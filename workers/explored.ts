/**
 * Caches explored equations: the same functions under the same Lean have the same equations, in every round and every
 * run.
 */
import { keep, type Memory, recall } from '@stp/base/files';
import { deeperLimits, type ExploredStatement, exploredStatementSchema, type StatementToRead } from '@stp/lean-explore';

/** Increment it whenever a statement's equations could change. */
const VERSION = 17;

interface ExploredUnder {
  readonly cacheDirectory: string;
  /** Fingerprint of toolchain and library. */
  readonly fingerprint: string;
  readonly seed: number;
  readonly random: boolean;
  /** Value of `deeperLimits`. */
  readonly deeper: number;
  readonly coreEquivalents: boolean;
  readonly coreFunctions: boolean;
}

/**
 * Returns an answer for each statement, in order.
 *
 * @param explore called with the statements that were not explored before
 */
export async function explored(
  statements: readonly StatementToRead[],
  { cacheDirectory, fingerprint, ...how }: ExploredUnder,
  explore: (open: readonly StatementToRead[]) => Promise<readonly ExploredStatement[]>,
): Promise<ExploredStatement[]> {
  const memoryOf = ({ header, statement }: StatementToRead): Memory<ExploredStatement> => ({
    cacheDirectory,
    key: [
      ...['explored', VERSION, deeperLimits(how.deeper), fingerprint, how.seed, how.random],
      ...[how.coreEquivalents, how.coreFunctions, header, statement],
    ],
    schema: exploredStatementSchema,
  });
  const known = await Promise.all(statements.map((statement) => recall(memoryOf(statement))));
  const open = statements.filter((_, index) => known[index] === undefined);
  const found = open.length === 0 ? [] : await explore(open);
  // An unreadable statement is not cached, since it may be readable next time.
  for (const [index, statement] of open.entries())
    if (found[index]!.terms > 0) await keep(memoryOf(statement), found[index]!);
  const fresh = found.values();
  return known.map((one) => one ?? fresh.next().value!);
}
