/**
 * Beam search with a length penalty, by the rules of `generate` of transformers 4.50 and later (`num_beams`,
 * `num_return_sequences` = `num_beams`, `early_stopping` false), with which ReProver and LeanCopilot write tactics. It
 * maps rows of log-probabilities to sequences, for any model.
 */

/** Rows that continue one text together. */
export interface GrowingRows {
  /** Natural log-probabilities of the next token of each row, `[rows][vocabulary]`. */
  readonly next: readonly Float32Array[];
  /** Replaces row `i` by row `parents[i]` followed by `tokens[i]`. */
  extend(parents: readonly number[], tokens: readonly number[]): Promise<void>;
}

export interface Written {
  /** Token ids without the end token. */
  readonly ids: readonly number[];
  /** Number of chosen tokens, the end included. */
  readonly tokens: number;
  /** Sum of the chosen tokens' natural log-probabilities. */
  readonly sumLogprob: number;
  /** `length`: cut off at the limit. */
  readonly finish: 'stop' | 'length';
}

export interface BeamOptions {
  /** Number of sequences kept at each step, and maximum number returned. */
  readonly beams: number;
  /** α: sequences are compared by sum of log-probabilities / length^α; 0 compares the sums. */
  readonly lengthPenalty: number;
  readonly endId: number;
  readonly maxTokens: number;
}

interface Beam {
  readonly ids: readonly number[];
  readonly sum: number;
}
interface Continuation {
  readonly parent: number;
  readonly token: number;
  readonly sum: number;
}

/** Returns the sequences, best first. `rows` starts with one row. */
export async function beamSearch(
  rows: GrowingRows,
  { beams, lengthPenalty, endId, maxTokens }: BeamOptions,
): Promise<Written[]> {
  let running: Beam[] = [{ ids: [], sum: 0 }];
  let finished: { readonly written: Written; readonly score: number }[] = [];
  for (let length = 1; running.length > 0; length++) {
    const scale = length ** lengthPenalty;
    const isLast = length === maxTokens;
    const best = likeliest(rows.next, running, 2 * beams);
    for (const { parent, token, sum } of best.slice(0, beams)) {
      if (token !== endId && !isLast) continue;
      const ids = token === endId ? running[parent]!.ids : [...running[parent]!.ids, token];
      const finish = token === endId ? 'stop' : 'length';
      finished.push({ written: { ids, tokens: length, sumLogprob: sum, finish }, score: sum / scale });
    }
    // The sort is stable: among equal scores the earlier stays first.
    finished = finished.sort((left, right) => right.score - left.score).slice(0, beams);
    const going = best.filter(({ token }) => token !== endId).slice(0, beams);
    const canImprove = finished.length < beams || (going.length > 0 && going[0]!.sum / scale > finished.at(-1)!.score);
    if (isLast || going.length === 0 || !canImprove) break;
    running = going.map(({ parent, token, sum }) => ({ ids: [...running[parent]!.ids, token], sum }));
    await rows.extend(
      going.map(({ parent }) => parent),
      going.map(({ token }) => token),
    );
  }
  return finished.map(({ written }) => written);
}

/** Returns the continuations with the highest sums in descending order, the earlier first among equals. */
function likeliest(next: readonly Float32Array[], running: readonly Beam[], count: number): Continuation[] {
  const best: Continuation[] = [];
  for (const [parent, { sum: before }] of running.entries())
    for (const [token, logprob] of next[parent]!.entries()) {
      const sum = before + logprob;
      if (best.length === count && sum <= best.at(-1)!.sum) continue;
      let at = best.length;
      while (at > 0 && best[at - 1]!.sum < sum) at--;
      best.splice(at, 0, { parent, token, sum });
      if (best.length > count) best.pop();
    }
  return best;
}
