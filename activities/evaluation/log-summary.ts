/**
 * Computes pass@k from an evaluation log, ours or STP's (its `summary.py`; docs/algorithm.md, section 10). Keeps two
 * bits for each record. Refuses a split that was not run in full, since its figures would not be comparable.
 */
import { StpError } from '@stp/base';
import { theoremText } from '@stp/datasets';
import {
  blockEstimate,
  budgetsFor,
  passAtK,
  randomStream,
  refusal,
  SampleOutcomes,
  type ShortBlock,
  stpBudgets,
} from '@stp/selfplay';
import { ITERATIONS_MAX, readEvaluationLog } from './evaluation-log.ts';

/** Statements of a split that the log should contain, as `statementText` returns them. */
export interface SplitStatements {
  /** Such as `miniF2F test`. */
  readonly name: string;
  readonly texts: ReadonlySet<string>;
}

export interface LogSummaryOptions {
  readonly path: string;
  readonly splits: readonly SplitStatements[];
  /** Number of a statement's first samples that count; null: all in the log. */
  readonly samples: number | null;
  readonly shortBlock: ShortBlock;
  readonly seed: number;
}

/** In per cent, as STP prints them. */
export interface SplitSummary {
  readonly name: string;
  readonly block: readonly [k: number, mean: number, deviation: number | null][];
  readonly unbiased: readonly [k: number, mean: number, lower: number, upper: number][];
}

/** Limit on the bytes of all outcomes together. STP's own evaluation takes less than a megabyte. */
const OUTCOME_BYTES_MAX = 2 ** 29;
/** Distinct texts remembered, so that each statement is parsed once and not once for each sample. */
const TEXTS_REMEMBERED = 200_000;
/** From this number of samples on the curve uses STP's budgets; with fewer samples it uses powers of two. */
const STP_BUDGETS_FROM = 32;
const PER_CENT = 100;

interface Tally {
  readonly outcomes: SampleOutcomes;
  readonly unverified: SampleOutcomes;
}

/**
 * Returns the theorem's text without the opening of its proof and with single spaces. A log's statement and a dataset's
 * are compared by it. Null: the text is no theorem.
 */
export function statementText(statement: string): string | null {
  return theoremText(statement)?.statement.replace(/\s+/gu, ' ') ?? null;
}

/**
 * Computes the estimates for every split. Throws STP1502 for a split that is incomplete in the log or has too many
 * samples without a verdict.
 */
export async function summariseLog(options: LogSummaryOptions): Promise<SplitSummary[]> {
  const { path, splits, shortBlock, seed } = options;
  const tallies = new Map<string, Tally>();
  for (const { texts } of splits)
    for (const text of texts) tallies.set(text, { outcomes: new SampleOutcomes(), unverified: new SampleOutcomes() });
  const end = await tallyLog(path, tallies, options.samples ?? ITERATIONS_MAX);
  const samples = options.samples ?? end;
  if (samples > end)
    throw notWhole(
      `${path} has samples 0 to ${end - 1} of these statements, ${samples} were asked for`,
      `Use --max_iter ${end} at most, or a longer log.`,
    );
  const budgets = samples < STP_BUDGETS_FROM ? budgetsFor(samples) : stpBudgets(samples);
  const summarise = async ({ name, texts }: SplitStatements): Promise<SplitSummary> => {
    const members = [...texts].map((text) => tallies.get(text)!);
    requireWhole(path, name, texts, tallies, samples);
    const outcomes = members.map((member) => member.outcomes);
    return {
      name,
      block: budgets.map((k) => {
        const { mean, deviation } = blockEstimate(outcomes, k, samples, shortBlock);
        return [k, PER_CENT * mean, deviation === null ? null : PER_CENT * deviation];
      }),
      unbiased: (await passAtK(outcomes, budgets, samples, randomStream(seed, 'bootstrap', name))).map(
        ({ k, mean, lower, upper }) => [k, PER_CENT * mean, PER_CENT * lower, PER_CENT * upper],
      ),
    };
  };
  return Promise.all(splits.map(summarise));
}

/**
 * Counts the log's records into the tallies. Returns the number of samples of a statement: the highest index plus one.
 */
async function tallyLog(path: string, tallies: ReadonlyMap<string, Tally>, samplesMax: number): Promise<number> {
  const known = new Map<string, Tally | null>();
  let end = 0;
  let bytes = 0;
  for await (const { statement, index, isProved, isVerified } of readEvaluationLog(path)) {
    let tally = known.get(statement);
    if (tally === undefined) {
      tally = tallies.get(statementText(statement) ?? '') ?? null;
      if (known.size < TEXTS_REMEMBERED) known.set(statement, tally);
    }
    if (tally === null) continue;
    end = Math.max(end, index + 1);
    if (index >= samplesMax) continue;
    bytes -= tally.outcomes.bytes + tally.unverified.bytes;
    tally.outcomes.add(index, isProved && isVerified);
    if (!isVerified) tally.unverified.add(index, true);
    bytes += tally.outcomes.bytes + tally.unverified.bytes;
    if (bytes > OUTCOME_BYTES_MAX)
      throw notWhole(`${path} has samples so far apart that it cannot be an evaluation`, 'Is it the right file?');
  }
  return end;
}

function requireWhole(
  path: string,
  split: string,
  texts: ReadonlySet<string>,
  tallies: ReadonlyMap<string, Tally>,
  samples: number,
): void {
  const absent = [...texts].filter((text) => tallies.get(text)!.outcomes.recorded(0, samples) === 0);
  if (absent.length > 0)
    throw notWhole(
      `${path}: ${absent.length} of ${texts.size} statements of ${split} are not in the log, the first being ${absent[0]!.slice(0, 120)}`,
      'Evaluate the whole split, or name the statements that were evaluated with --statements.',
    );
  let recorded = 0;
  let failed = 0;
  for (const text of texts) {
    const { outcomes, unverified } = tallies.get(text)!;
    recorded += outcomes.recorded(0, samples);
    failed += unverified.successes(0, samples);
  }
  const missing = texts.size * samples - recorded;
  const counts = { statements: texts.size, samplesPerStatement: samples, unverified: failed + missing, missing };
  const reason = refusal(counts);
  if (reason !== null) throw notWhole(`${path}, ${split}: ${reason}`, 'Verify those samples, then try again.');
}

function notWhole(message: string, advice: string): StpError {
  return new StpError('STP1502', message, advice);
}
