/**
 * Rewrites a `tokenizer.json` for the JavaScript library. Some steps of the library differ from those of `tokenizers`
 * (white space and digits beyond ASCII, words after spaces); each is replaced by a split with a pattern, which both
 * read alike.
 */
import { BYTE_ALPHABET } from './bytes.ts';
import type { PostProcessor, PreTokenizer, TokenizerFile } from './tokenizer-file.ts';

/** GPT-2's splitting of a text, which `ByteLevel` stands for. */
const GPT2_PATTERN = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

const isolated = (pattern: string): PreTokenizer => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});

export function libraryFile(file: TokenizerFile): object {
  const { pre_tokenizer: step } = file;
  const steps = step === null ? [] : [...stepsOf(step), ...withoutUnknownBytes(file)];
  return { ...file, pre_tokenizer: { type: 'Sequence', pretokenizers: steps } };
}

/** Drops bytes without a token before merging, as `tokenizers` does; the library would drop them afterwards. */
function withoutUnknownBytes({ model, decoder }: TokenizerFile): object[] {
  const unknown = BYTE_ALPHABET.filter((character) => !Object.hasOwn(model.vocab, character));
  if (decoder.type !== 'ByteLevel' || model.unk_token !== null || unknown.length === 0) return [];
  return [{ type: 'Replace', pattern: { Regex: `[${unknown.map(escaped).join('')}]` }, content: '' }];
}

function stepsOf(step: PreTokenizer): PreTokenizer[] {
  switch (step.type) {
    case 'Sequence':
      return step.pretokenizers.flatMap(stepsOf);
    case 'Digits':
      return [isolated(step.individual_digits ? '\\p{N}' : '\\p{N}+')];
    case 'ByteLevel':
      // A space before the text changes the split, so these steps keep the library's order.
      if (!step.use_regex || step.add_prefix_space) return [step];
      return [isolated(GPT2_PATTERN), { ...step, use_regex: false }];
    case 'Metaspace':
      return step.split ? [step, isolated(`${escaped(step.replacement)}[^${escaped(step.replacement)}]*`)] : [step];
    default:
      return [step];
  }
}

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Returns the special tokens at the start of a text, by the file's template. */
export function promptStart({ post_processor: processor }: TokenizerFile): readonly string[] {
  return processor === null ? [] : startOf(processor);
}

function startOf(processor: PostProcessor): readonly string[] {
  if (processor.type === 'Sequence') return processor.processors.flatMap(startOf);
  if (processor.type === 'ByteLevel') return [];
  const text = processor.single.findIndex((part) => 'Sequence' in part);
  return processor.single
    .slice(0, Math.max(0, text))
    .flatMap((part) => ('SpecialToken' in part ? [part.SpecialToken.id] : []));
}
