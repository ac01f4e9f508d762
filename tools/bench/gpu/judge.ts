/**
 * Judges the samples of a lease by `bin/stp verify` on this machine, where Lean is, and samples the control: the default
 * run's small model, trained and sampled by the embedded engine on the same pairs and prompts, as often.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { formatOf, resolveConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import { type Statement, statementSchema } from '@stp/config/records';
import { embeddedGenerator, embeddedTrainer } from '@stp/language-model';
import { budgetsFor, optimiserSteps, passAtK, randomStream, SampleOutcomes } from '@stp/selfplay';
import { execa } from 'execa';
import { z } from 'zod';
import { proverForms } from '../../../activities/prover-forms.ts';
import { repositorySources } from '../../../workers/sources.ts';
import { configOf, writeLines } from './prepare.ts';

const STP = resolve(import.meta.dirname, '../../../bin/stp');
const promptSchema = z.strictObject({ id: z.string(), index: z.int(), prompt: z.string(), seed: z.int() });
const sampleSchema = z.strictObject({
  id: z.string(),
  index: z.int().nonnegative(),
  text: z.string(),
  finish: z.enum(['stop', 'length']),
  tokens: z.int(),
  promptTokens: z.int(),
});
type Sample = z.infer<typeof sampleSchema>;
const verdictSchema = z.looseObject({ id: z.string(), verdict: z.string() });

/** Context of the control: prompts as Lean code have more of the small model's tokens. */
const CONTROL_CONTEXT = 768;

/** Makes `samples-control-FORM.jsonl` in `results`. */
export async function sampleControl(lease: string, results: string, form: string): Promise<void> {
  const config = resolveConfig({ preset: 'embedded', set: { 'model.contextLength': CONTROL_CONTEXT } });
  const folder = join(lease, form);
  const examplesPath = join(folder, 'train.jsonl');
  const work = join(results, `control-${form}`);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const { epochs: _, examplesPerStep: __, stepsMin: ___, stepsMax: ____, ...hyperparameters } = config.sft;
  const outputDirectory = join(work, 'model');
  const steps = optimiserSteps((await readLines(examplesPath, z.unknown())).length, config.sft);
  const threads = config.modelThreads;
  const trained = await embeddedTrainer({ threads }).train({
    ...hyperparameters,
    examplesPath,
    outputDirectory,
    steps,
    shape: config.model,
    seed: config.seed,
    initDirectory: null,
    stateDirectory: null,
    heldOutPath: join(folder, 'held-out.jsonl'),
    heldOutEverySteps: steps,
  });
  const prompts = await readLines(join(folder, 'prompts.jsonl'), promptSchema);
  const { temperature, topP, maxTokens } = config.sampling;
  const generator = await embeddedGenerator({ threads })(outputDirectory);
  const began = performance.now();
  try {
    const { stop } = formatOf(configOf(form).prover).prover;
    const made = await generator.sample(prompts, { temperature, topP, maxTokens, ...(stop.length > 0 && { stop }) });
    const seconds = (performance.now() - began) / 1_000;
    const tokens = made.reduce((sum, one) => sum + one.tokens, 0);
    console.log(`control: ${JSON.stringify(trained)}, sampled ${tokens} tokens in ${seconds.toFixed(0)} s`);
    await writeLines(
      join(results, `samples-control-${form}.jsonl`),
      made.map(({ text, finish, tokens }, at) => {
        const { id, index } = prompts[at]!;
        return { id, index, text, finish, tokens, promptTokens: 0 };
      }),
    );
  } finally {
    await generator.close();
  }
}

/** Judges `samples-NAME-FORM.jsonl` of `results`, and prints pass@k by split. */
export async function judgeSamples(lease: string, results: string, name: string): Promise<void> {
  const form = name.split('-').at(-1)!;
  const statements = await readLines(join(lease, form, 'statements.jsonl'), statementSchema);
  const samples = await readLines(join(results, `samples-${name}.jsonl`), sampleSchema);
  const { proofs, rows } = await rowsOf(form, statements, samples);
  const input = join(results, `rows-${name}.jsonl`);
  const output = join(results, `verdicts-${name}.jsonl`);
  await writeLines(input, rows);
  const processes = ['--processes', String(availableParallelism())];
  await execa(STP, ['verify', input, '--json', ...processes], { stdout: { file: output }, stderr: 'inherit' });
  const verdicts = new Map((await readLines(output, verdictSchema)).map(({ id, verdict }) => [id, verdict]));
  const counts = new Map<string, number>();
  for (const proof of proofs) {
    const verdict = proof === null ? 'no proof' : verdicts.get(proof)!;
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  console.log(`${name}: ${samples.length} samples, ${rows.length} distinct proofs`);
  console.log(`  ${[...counts].map(([verdict, count]) => `${verdict} ${count}`).join(', ')}`);
  for (const split of ['train', 'held-out'] as const) {
    const outcomes = new Map(
      statements.filter((one) => one.split === split).map(({ id }) => [id, new SampleOutcomes()]),
    );
    for (const [at, { id, index }] of samples.entries())
      outcomes.get(id)?.add(index, verdicts.get(proofs[at] ?? '') === 'proved');
    const each = Math.max(...samples.map(({ index }) => index)) + 1;
    const all = [...outcomes.values()];
    const proved = all.filter((one) => one.successes(0, each) > 0).length;
    const found = await passAtK(all, budgetsFor(each), each, randomStream(1, 'lease', name));
    const shares = found.map(
      ({ k, mean, lower, upper }) => `pass@${k} ${percent(mean)} (${percent(lower)} to ${percent(upper)})`,
    );
    console.log(`  ${split}: ${proved} of ${all.length}; ${shares.join('; ')}`);
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Returns one row for each distinct proof, and each sample's row id; null if its answer has no proof. */
async function rowsOf(form: string, statements: readonly Statement[], samples: readonly Sample[]) {
  const formOf = await proverForms(repositorySources(), configOf(form).prover);
  const known = new Map(statements.map((statement) => [statement.id, { statement, form: formOf(statement) }]));
  const rows = new Map<string, { id: string; header: string | null; statement: string; proof: string }>();
  const proofs = samples.map(({ id, text, finish }) => {
    const { statement, form } = known.get(id)!;
    const answer = form.read(text, finish);
    if (answer.kind !== 'proof') return null;
    const key = contentId(id, answer.proof);
    rows.set(key, { id: key, header: statement.header, statement: statement.statement, proof: answer.proof });
    return key;
  });
  return { proofs, rows: [...rows.values()] };
}

async function readLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const rows: T[] = [];
  for await (const line of createInterface({ input: createReadStream(path) }))
    rows.push(schema.parse(JSON.parse(line)));
  return rows;
}
