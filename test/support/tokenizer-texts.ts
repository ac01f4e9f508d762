/** Texts for comparisons of tokenizers: Lean, and various white space, digits and scripts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

const DATA = join(import.meta.dirname, '../../data');

export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\n',
  '<|im_start|>user\nProve it.<|im_end|>\n<|im_start|>assistant\n',
  'x<|endoftext|>y <|im_end <s> </s> <think>42</think>',
  '  \n\n \t\r\n x\u0085y\ufeffz\u00a0 w',
  '12 3456 ١٢٣ ½ ⅷ 二三 ๑๒',
  "I'll can't  WE'VE   done we're 'sup",
  'é e\u0301 ﬁ Å K',
  '∀ x ∈ ℝ, ⟨x, h₁⟩ ∧ ¬ p → α × β ↦ λ',
  '🧮👩‍👩‍👧 日本語 हिन्दी ไทย العربية',
  '\u{f0000}\u{e0041}\u{31350}',
  '▁x ▁▁ y',
  '<0x41><0x0A>',
];

/** Lines of this project's library and problem sets, in the order of their files. */
export function leanLines(count: number): readonly string[] {
  const lines: string[] = [];
  const files = readdirSync(DATA, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:lean|jsonl)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files)
    lines.push(
      ...readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.length > 3 && line.length < 2_000),
    );
  const step = Math.max(1, Math.floor(lines.length / count));
  return lines.filter((_, index) => index % step === 0).slice(0, count);
}

/** Random texts of whole characters, from all of Unicode. */
export function randomTexts(count: number, seed: number): readonly string[] {
  const half = Math.ceil(count / 2);
  return [
    ...fc.sample(fc.string({ unit: 'grapheme', maxLength: 60 }), { numRuns: half, seed }),
    ...fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), { numRuns: count - half, seed: seed + 1 }),
  ].map((text) => text.toWellFormed());
}
