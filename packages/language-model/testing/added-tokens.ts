/** Tokenizers of the fixture `tokenizers.json` with further added tokens, and with whole words that no merge makes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface File {
  readonly added_tokens: readonly { readonly id: number }[];
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
}

/** The kinds of matching that an added token may ask for. */
const KINDS: readonly (readonly [string, object])[] = [
  ['<n>', { normalized: true }],
  ['<l>', { lstrip: true }],
  ['<r>', { rstrip: true }],
  ['<b>', { lstrip: true, rstrip: true, normalized: true }],
  ['<ñ>', {}],
];
/** Llama 3 takes a word that is a token as a whole. */
const WHOLE_WORDS = ['Ġtheorem', 'theorem', 'Ġnatural', 'Ġ+Ġ'];

export const ADDED_TOKEN_TEXTS: readonly string[] = [
  ...['x <n> y', 'x<n>y', ' <n> ', '<n>', 'a  <n>\n b', 'X <N> y', '<n><n>', 'é<n>e\u0301'],
  ...['x <l> y', 'x<l>y', '  <l>  ', 'a <l><r> b', 'x <r> y', '<r> <l> <n>', 'x<r>\n\n y', '\t<l>\u00a0<r>\u3000z'],
  ...['x <b> y\n', '\n<b>\n', 'a <b><b> b', 'a <b> <l> b', 'ab <n\u0303> ñ<ñ> n\u0303'],
  ...['the theorem', 'theorem', ' theorem x', 'theorems', 'a natural theorem natural', 'n + m'],
];

const path = join(import.meta.dirname, '../../../test/fixtures/model/tokenizers.json');

/** The variants by name. */
export function addedTokenFiles(): ReadonlyMap<string, File> {
  const { tokenizers } = JSON.parse(readFileSync(path, 'utf8')) as { tokenizers: { name: string; file: File }[] };
  const files = new Map<string, File>();
  for (const { name, file } of tokenizers)
    for (const special of [false, true])
      files.set(`${name}, ${special ? 'special' : 'plain'} tokens`, withAdded(file, special, name));
  for (const { name, file } of tokenizers.filter((one) => one.name === 'smollm' || one.name === 'qwen'))
    files.set(`${name}, whole words`, withWords(file));
  return files;
}

const nextId = ({ added_tokens: added, model }: File): number =>
  Math.max(...Object.values(model.vocab), ...added.map(({ id }) => id)) + 1;

/** SentencePiece's normalizer would change the tokens that are looked for in normalised text; such files are refused. */
function withAdded(file: File, special: boolean, name: string): File {
  const first = nextId(file);
  const added = KINDS.map(([content, kind], at) => ({
    ...{ id: first + at, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special },
    ...kind,
    ...(name === 'llama' ? { normalized: false } : {}),
  }));
  return { ...file, added_tokens: [...file.added_tokens, ...added] };
}

function withWords(file: File): File {
  const first = nextId(file);
  const words = WHOLE_WORDS.filter((word) => file.model.vocab[word] === undefined);
  const vocab = { ...file.model.vocab, ...Object.fromEntries(words.map((word, at) => [word, first + at])) };
  return { ...file, model: { ...file.model, vocab, ...{ ignore_merges: true } } };
}
