/**
 * Measures the rules of proofs in known words (`packages/language-model/embedded/proof-grammar/`) on the proofs that a default run trains on: the
 * processor time of the allowed tokens, token by token, beside that of sampling a token. An untrained model's own texts would say
 * nothing: no two are alike, and what the rules keep of states would be of no use.
 */
import { join } from 'node:path';
import { resolveConfig } from '@stp/config';
import { PROOF_MARKER } from '@stp/config/words';
import { ProofTokens, ProofWriter, proofWordsOf, readModel } from '@stp/language-model/testing';
import { runSft } from '../../activities/sft/run-sft.ts';
import { repositorySources } from '../../workers/sources.ts';
import { cpuSeconds, median, row } from './measure.ts';
import { freshCheckpoint, ourRate, promptsOf } from './model-sampling.ts';

const ROUNDS = 5;
const ROWS = 32;
/** Samples of a statement, which share what is kept of its prompt. */
const SAMPLES = 16;
const MICROSECONDS = 1e6;

export async function benchKnownWords(directory: string): Promise<void> {
  const config = resolveConfig({ preset: 'embedded' });
  const shape = config.model;
  const nothing: ReadonlySet<string> = new Set();
  const sealed = { heldOutKeys: nothing, theoremKeys: nothing, slotKeys: nothing };
  const { train } = await runSft(repositorySources(), config, sealed);
  const examples = (await Array.fromAsync(train)).filter(({ prompt }) => prompt.endsWith(PROOF_MARKER));
  const checkpoint = join(directory, 'known-words');
  await freshCheckpoint(
    checkpoint,
    shape,
    examples.flatMap(({ prompt, target }) => [prompt, target]),
  );
  const model = await readModel(checkpoint);
  const { tokenizer } = model;
  const words = proofWordsOf(examples, null);
  if (words === null) throw new Error('the rules of proofs are not for these proofs');
  const tokens = new ProofTokens(words, tokenizer);
  const all = examples.map(({ prompt, target }) => ({
    prompt: tokens.promptOf(prompt, tokenizer.encode(prompt)),
    ids: tokenizer.encode(target),
  }));
  const written = all.filter(({ prompt, ids }) => {
    const writer = new ProofWriter(tokens, prompt);
    return ids.every((id) => {
      const isAllowed = writer.allowed().includes(id);
      writer.push(id);
      return isAllowed;
    });
  });
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
  row('known words: proofs that the rules let through', (100 * written.length) / all.length, '%', 1);
  row('known words: a token’s rules', MICROSECONDS * median(ours), 'µs', 1);
  row(`embedded preset, batch ${ROWS}: a token sampled`, MICROSECONDS * median(tokenTimes), 'µs', 1);
  row('  rules / sampling', 100 * median(ours.map((time, at) => time / tokenTimes[at]!)), '%', 1);
}
