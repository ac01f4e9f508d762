/** Reading of models' answers: plans of some pages, a sketch and a proof of sixty lines, as long as published answers are. */
import { loadFormat } from '@stp/config';
import { formattedForm } from '@stp/selfplay';
import { cpuSeconds, row } from './measure.ts';

const ANSWERS = 1_000;
/** A mean answer of DeepSeek-Prover-V2 7B with a plan has 4,489 tokens (arXiv 2504.21801, table 3): about 14,000 characters. */
const PLAN_LINES = 110;
const STEPS = 60;

export async function benchAnswers(): Promise<void> {
  const statement = 'theorem bench_problem (x y : ℝ) (h₀ : x + y = 7) (h₁ : x * y = 10) :\n    x ^ 2 + y ^ 2 = 29';
  const step = (index: number): string =>
    `  have h_${index} : (x + y) ^ 2 - ${index} = 49 - ${index} := by\n    -- the square of the sum\n    nlinarith [sq_nonneg (x - y), h₀, h₁]`;
  const steps = Array.from({ length: STEPS }, (_, index) => step(index)).join('\n');
  const plan = 'Expand the square and use both hypotheses, then collect the terms of the second degree.\n'.repeat(
    PLAN_LINES,
  );
  const block = (proof: string): string => `\`\`\`lean4\nimport Mathlib\n\n${statement} := by\n${proof}\n\`\`\`\n`;
  const answer = `### Plan\n\n${plan}\n${block(steps.replaceAll(/by\n.*\n.*$/gmu, 'by sorry'))}\n### Proof\n\n${block(steps)}`;
  for (const name of ['deepseek-prover-v2', 'kimina-prover'] as const) {
    const form = formattedForm(loadFormat(name), { header: 'import Mathlib', statement }, '');
    const began = cpuSeconds();
    let proofs = 0;
    for (let index = 0; index < ANSWERS; index += 1) if (form.read(answer, 'stop').kind === 'proof') proofs += 1;
    const seconds = cpuSeconds() - began;
    if (proofs < ANSWERS) throw new Error('an answer was not read');
    row(`answers of ${answer.length} characters read, ${name}`, ANSWERS / seconds, 'a second');
  }
}
