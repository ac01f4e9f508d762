/**
 * Measures the rules of proofs in known words (`model/embedded/proof-grammar/`) on the library's proofs: the processor time of the
 * allowed tokens, token by token, beside that of sampling a token. An untrained model's own texts would say nothing: no two are
 * alike, and what the rules keep of states would be of no use.
 */
import { join } from 'node:path';
import { resolveConfig } from '../../data/config/resolve.ts';
import { readModel } from '../../model/checkpoint/sampled-model.ts';
import { proofWordsOf } from '../../model/embedded/proof-grammar/proof-words.ts';
import { ProofTokens, ProofWriter } from '../../model/embedded/proof-grammar/proof-writer.ts';
import { markersOf } from '../../model/tokenizer/special-tokens.ts';
import { trainTokenizer } from '../../model/tokenizer/train.ts';
import { formExamples, slottedForm } from '../../selfplay/slots/prover-form.ts';
import { cpuSeconds, median, row } from './measure.ts';
import { freshCheckpoint, ourRate, promptsOf } from './model-sampling.ts';

const ROUNDS = 5;
const ROWS = 32;
/** Samples of a statement, which share what is kept of its prompt. */
const SAMPLES = 16;
const MICROSECONDS = 1e6;

export async function benchKnownWords(
  directory: string,
  theorems: readonly { readonly statement: string; readonly proof: string }[],
): Promise<void> {
  const { model: shape, prover } = resolveConfig({ preset: 'embedded' });
  const examples = theorems.flatMap(({ statement, proof }) =>
    formExamples(slottedForm(statement, [], prover.definitionTokens), proof, 1),
  );
  const texts = examples.flatMap(({ prompt, target }) => [prompt, target]);
  const tokenizer = trainTokenizer(texts, {
    vocabularySize: shape.vocabularySize,
    specialTokens: markersOf(texts),
  });
  const words = proofWordsOf(examples, null);
  if (words === null) throw new Error('the rules of proofs are not for the proofs of the library');
  const tokens = new ProofTokens(words, tokenizer);
  const written = examples.map(({ prompt, target }) => ({
    prompt: tokens.promptOf(prompt, tokenizer.encode(prompt)),
    ids: tokenizer.encode(target),
  }));
  const masked = new Float32Array(shape.vocabularySize);
  const ruleTime = (): number => {
    let count = 0;
    const started = cpuSeconds();
    for (const { prompt, ids } of written)
      for (let sample = 0; sample < SAMPLES; sample++) {
        const writer = new ProofWriter(tokens, prompt);
        for (const id of ids) {
          masked.fill(Number.NEGATIVE_INFINITY);
          for (const allowed of writer.allowed()) masked[allowed] = 0;
          writer.push(id);
          count++;
        }
      }
    return (cpuSeconds() - started) / count;
  };
  await freshCheckpoint(join(directory, 'known-words'), shape, texts);
  const model = await readModel(join(directory, 'known-words'));
  const prompts = promptsOf(
    model,
    examples.map(({ prompt }) => prompt),
    4 * ROWS,
  );
  const ours: number[] = [];
  const tokenTimes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(ruleTime());
    tokenTimes.push(1 / (await ourRate(model, ROWS, prompts)));
  }
  row('known words: a token’s rules', MICROSECONDS * median(ours), 'µs', 1);
  row(`embedded preset, batch ${ROWS}: a token sampled`, MICROSECONDS * median(tokenTimes), 'µs', 1);
  row('  rules / sampling', 100 * median(ours.map((time, at) => time / tokenTimes[at]!)), '%', 1);
}
