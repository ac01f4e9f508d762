/** `bin/stp judge FILE`: marks every proof of a file. Exit codes: 0 all proofs were judged, 2 some were not. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeIssues, mapConcurrently, printableJson, printableLine, StpError } from '@stp/base';
import { type Judgement, type Judging, judgingSchema } from '@stp/config/records';
import { Asker, markProof, type ProofToMark, proofIn, RateLimits, rateLimitsFile, scaleOf } from '@stp/judge';
import { type Item, readItems } from '@stp/judge/formats';
import { openStore } from '../../infra/stores/open-store.ts';
import { workerSettings } from '../../workers/settings.ts';
import { runBounded } from '../shared/bounded-command.ts';

export interface JudgeOptions {
  readonly config?: string;
  readonly problems?: string;
  readonly records: string;
  readonly replay?: boolean;
  readonly json?: boolean;
}

/** Returns the exit code. */
export async function judge(file: string | undefined, options: JudgeOptions): Promise<number> {
  if (file === undefined)
    throw new StpError('STP1002', 'no file is named', 'Write bin/stp judge FILE --config JUDGES.json.');
  const judging = await readJudging(options.config);
  const given = options.problems === undefined ? [] : await readItems(options.problems);
  const candidates = candidatesOf(file, await readItems(file), given, judging);
  const store = await openStore(pathToFileURL(resolve(options.records)).href);
  const limits = new RateLimits(rateLimitsFile(workerSettings().cacheDirectory));
  const asker = new Asker({ ...judging, store, limits, replay: options.replay === true });
  try {
    return await runBounded(undefined, async (signal) => {
      const print = new InOrder((judgement) => console.log(line(judgement, options.json === true)));
      // Each proof requests all its votes at once.
      const width = judging.judges.reduce((sum, { limits: { requestsInFlight } }) => sum + requestsInFlight, 0);
      const judgements = await mapConcurrently(candidates, width, signal, async (candidate, wanted, index) => {
        const judgement = await markProof(asker, judging, candidate, wanted);
        print.add(index, judgement);
        return judgement;
      });
      console.error(summary(judgements, asker));
      return judgements.every(({ outcome }) => outcome !== 'unjudged') ? 0 : 2;
    });
  } finally {
    asker.close();
    limits.close();
  }
}

async function readJudging(path: string | undefined): Promise<Judging> {
  if (path === undefined)
    throw new StpError('STP1002', 'no judge is named', 'Write --config JUDGES.json; docs/judges.md has examples.');
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new StpError(
      'STP1001',
      `${path}: ${(error as Error).message}`,
      'Name a JSON file; docs/judges.md has examples.',
    );
  }
  const parsed = judgingSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new StpError('STP1001', `${path}: ${describeIssues(parsed.error)}`, 'docs/judges.md lists the values.');
}

/** Makes candidates of a file's items. `given` fills in details of problems that the file lacks. */
function candidatesOf(file: string, items: readonly Item[], given: readonly Item[], judging: Judging): ProofToMark[] {
  const grading = new Map(given.map((item) => [item.problemId, item.grading]));
  const candidates = items.flatMap((item): ProofToMark[] => {
    if (item.answer === null) return [];
    const {
      scale = judging.scale,
      rubric = null,
      reference = null,
    } = {
      ...grading.get(item.problemId),
      ...item.grading,
    };
    const { problemId, set, problem: text } = item;
    const problem = { id: problemId, set, text, scale: scaleOf(scale), rubric, reference };
    return [{ id: item.id, problem, proof: proofIn(item.answer) }];
  });
  if (candidates.length > 0) return candidates;
  throw new StpError('STP1501', `${file}: it holds problems, but no proof of them`, 'Give proofs to judge.');
}

/** Prints lines in the order of the file, each as soon as all earlier ones are printed. */
class InOrder {
  readonly #print: (judgement: Judgement) => void;
  readonly #waiting = new Map<number, Judgement>();
  #next = 0;

  constructor(print: (judgement: Judgement) => void) {
    this.#print = print;
  }

  add(index: number, judgement: Judgement): void {
    this.#waiting.set(index, judgement);
    for (let next = this.#waiting.get(this.#next); next !== undefined; next = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next++);
      this.#print(next);
    }
  }
}

function line(judgement: Judgement, asJson: boolean): string {
  if (asJson) return printableJson(judgement);
  const { id, outcome, mark, failure } = judgement;
  const shown = mark === null ? outcome : `${Number(mark.raw.toFixed(2))} of ${scaleOf(mark.scale).max}`;
  return `${shown.padEnd(12)}${printableLine(id)}${failure === null ? '' : `  ${failure.kind}: ${printableLine(failure.detail)}`}`;
}

function summary(judgements: readonly Judgement[], { spent, fromRecords }: Asker): string {
  const counts = Object.entries(Object.groupBy(judgements, ({ outcome }) => outcome)).map(
    ([outcome, its]) => `${its.length} ${outcome}`,
  );
  const { requests, answers, promptTokens, answerTokens, cost } = spent;
  const price = cost === null || answers === 0 ? '' : `, cost ${cost.toFixed(4)}`;
  return `${judgements.length} proofs: ${counts.join(', ')}; ${requests} requests, ${answers} answers and ${fromRecords} kept ones, ${promptTokens} + ${answerTokens} tokens${price}`;
}
