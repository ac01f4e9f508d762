/**
 * Finds added tokens that `tokenizers` looks for in normalised text and that the normalizer itself changes, as
 * SentencePiece's spaces do. `tokenizers` then finds and decodes the changed token, the JavaScript library the written
 * one.
 */
import type { Normalizer, TokenizerFile } from './tokenizer-file.ts';

/** Returns null, or the problem in words. */
export function normalisedTokenProblem({ added_tokens: added, normalizer }: TokenizerFile): string | null {
  if (normalizer === null) return null;
  for (const { content } of added.filter(({ normalized }) => normalized)) {
    const changed = normalised(content, normalizer);
    if (changed !== content)
      return `the added token ${JSON.stringify(content)} is looked for in normalised text, where it is ${JSON.stringify(changed)}`;
  }
  return null;
}

function normalised(text: string, step: Normalizer): string {
  switch (step.type) {
    case 'Sequence':
      return step.normalizers.reduce(normalised, text);
    case 'Prepend':
      return step.prepend + text;
    case 'Replace': {
      const { pattern, content } = step;
      return 'String' in pattern
        ? text.replaceAll(pattern.String, () => content)
        : text.replace(new RegExp(pattern.Regex, 'gu'), () => content);
    }
    default:
      return text.normalize(step.type);
  }
}
