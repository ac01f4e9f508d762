/** The tokens of a GGUF. llama.cpp tokenises texts; the metadata give each token's bytes. */
import { foreign } from '../damaged.ts';
import type { GgufFile } from '../gguf/gguf-file.ts';
import { bytesOfToken } from '../tokenizer/bytes.ts';
import type { BindingModel } from './library.ts';
import type { LlamaTokens } from './sampler.ts';

/** Values of `tokenizer.ggml.token_type`. */
const [UNKNOWN, CONTROL, USER, UNUSED, BYTE] = [2, 3, 4, 5, 6] as const;
const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;
/** SentencePiece's space. */
const SPACE = '▁';
/** The supported kinds of vocabulary. */
const KINDS = ['gpt2', 'llama'];

/** Throws STP1302 for a vocabulary of another kind. */
export function ggufTokens({ metadata }: GgufFile, model: BindingModel, path: string): LlamaTokens {
  const kind = metadata.get('tokenizer.ggml.model');
  const written = metadata.get('tokenizer.ggml.tokens');
  const types = metadata.get('tokenizer.ggml.token_type');
  if (typeof kind !== 'string' || !KINDS.includes(kind))
    throw foreign(path, `a tokenizer of the kind ${String(kind).slice(0, 40)}, read are ${KINDS.join(' and ')}`);
  if (!Array.isArray(written) || !written.every((token) => typeof token === 'string'))
    throw foreign(path, 'it has no list of tokens');
  const typeOf = (id: number): unknown => (Array.isArray(types) ? types[id] : undefined);
  const encoder = new TextEncoder();
  const bytesOf = (id: number): Uint8Array => {
    const token = written[id];
    const type = typeOf(id);
    if (token === undefined || type === UNUSED) return new Uint8Array();
    if (type === CONTROL || type === USER || type === UNKNOWN) return encoder.encode(token);
    if (kind === 'gpt2') return bytesOfToken(token) ?? encoder.encode(token);
    const byte = type === BYTE ? BYTE_TOKEN.exec(token)?.[1] : undefined;
    if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16));
    return encoder.encode(token.replaceAll(SPACE, ' '));
  };
  const start = model.shouldPrependBosToken() ? [model.tokenBos()] : [];
  return {
    size: written.length,
    isChoosable: (id) => typeOf(id) !== UNUSED,
    endIds: new Set(written.keys().filter((id) => model.isEogToken(id))),
    bytesOf,
    decode: (ids) => Buffer.concat(ids.map(bytesOf)).toString('utf8'),
    // A chat template may have added the start token already.
    encodePrompt: (text) => {
      const ids = text === '' ? [] : [...model.tokenize(text, true)];
      return start.every((id, at) => ids[at] === id) ? ids : [...start, ...ids];
    },
  };
}
