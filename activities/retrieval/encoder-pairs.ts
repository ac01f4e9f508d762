/** Pairs that train an encoder for retrieval: the state before a tactic, and a premise that the tactic names. */
import { join } from 'node:path';
import type { EncoderPair } from '@stp/language-model/training';
import type { LeanDojoPart } from '@stp/lean-explore';
import { queryText } from '@stp/selfplay';
import { LeftOut, readPremiseCorpus, readTracedSteps, retrievable } from './benchmark.ts';

/** Returns the pairs of one part of a split, in order. Memory holds the texts of all premises and of the pairs. */
export async function encoderPairs(
  corpusPath: string,
  dataPath: string,
  part: LeanDojoPart,
): Promise<{ readonly pairs: readonly EncoderPair[]; readonly leftOut: LeftOut }> {
  const texts: string[] = [];
  const corpus = await readPremiseCorpus(corpusPath, (file) => {
    for (const { code } of retrievable(file)) texts.push(code);
  });
  const leftOut = new LeftOut();
  const pairs: EncoderPair[] = [];
  for await (const { tactic, premises } of readTracedSteps(join(dataPath, `${part}.json`), corpus, leftOut)) {
    const query = queryText(tactic.state_before);
    const positives = new Set([...premises].map(String));
    for (const premise of premises) pairs.push({ query, match: texts[premise]!, positives, key: String(premise) });
  }
  return { pairs, leftOut };
}
