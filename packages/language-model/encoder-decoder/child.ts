/**
 * Entry of an encoder-decoder's process: one model, one request at a time. A dropped request ends at its next token.
 */
import { StpError } from '@stp/base';
import { serve } from '../embedded/process/serve.ts';
import { beamSearch, type GrowingRows } from './beam-search.ts';
import { BYTE_END_ID, byteIds, byteText } from './byte-tokenizer.ts';
import { readEncoderDecoderFolder } from './folder.ts';
import type { EncoderDecoderMessage, EncoderDecoderRequest, WriteRequest, WrittenText } from './messages.ts';
import { EncoderDecoderModel } from './model.ts';
import { sampleRows } from './sample-rows.ts';

/** Number of tokens between two signs of life. */
const ALIVE_TOKENS = 16;

class Dropped extends Error {}

let opening: Promise<EncoderDecoderModel> | null = null;
let turn: Promise<unknown> = Promise.resolve();
const dropped = new Set<number>();

async function write(
  model: EncoderDecoderModel,
  { input, prefix, inputBytesMax, maxTokens, search }: WriteRequest,
  onToken: () => Promise<void>,
): Promise<WrittenText[]> {
  const hidden = await model.encode(input, inputBytesMax);
  await onToken();
  const rows = await model.begin(hidden, byteIds(prefix));
  const watched: GrowingRows = {
    get next() {
      return rows.next;
    },
    async extend(parents, tokens) {
      await onToken();
      await rows.extend(parents, tokens);
    },
  };
  const written =
    search.kind === 'beam'
      ? await beamSearch(watched, { ...search, endId: BYTE_END_ID, maxTokens })
      : await sampleRows(watched, { ...search, maxTokens });
  return written.map(({ ids, tokens, sumLogprob, finish }) => {
    return { text: prefix + byteText(ids), tokens, sumLogprob, meanLogprob: sumLogprob / tokens, finish };
  });
}

/** Returns the mean of a text's hidden states scaled to length 1, as ReProver's retriever does. */
async function embed(model: EncoderDecoderModel, text: string, inputBytesMax: number): Promise<Float32Array> {
  const hidden = await model.encode(text, inputBytesMax);
  const { hiddenSize } = model.folder;
  const vector = new Float32Array(hiddenSize);
  for (const [index, value] of (hidden.data as Float32Array).entries()) vector[index % hiddenSize]! += value;
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

serve<EncoderDecoderRequest, EncoderDecoderMessage>(async (request, post) => {
  if (request.type === 'open') {
    opening = readEncoderDecoderFolder(request.folder).then((folder) =>
      EncoderDecoderModel.open(folder, request.threads),
    );
    return post({ type: 'opened', model: (await opening).folder.model });
  }
  if (request.type === 'drop') {
    dropped.add(request.key);
    return;
  }
  if (opening === null) throw new StpError('STP1301', 'no model is open', 'Send `open` first.');
  const model = await opening;
  const { key } = request;
  let count = 0;
  const onToken = async (): Promise<void> => {
    if (dropped.has(key)) throw new Dropped();
    if (count++ % ALIVE_TOKENS === 0) await post({ type: 'alive' });
  };
  const work = turn.then(async () => {
    await onToken();
    if (request.type === 'write')
      await post({ type: 'written', key, texts: await write(model, request.request, onToken) });
    else await post({ type: 'embedded', key, vector: await embed(model, request.text, request.inputBytesMax) });
  });
  turn = work.catch(() => {});
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Dropped)) throw error;
    await post({ type: 'dropped', key });
  } finally {
    dropped.delete(key);
  }
});
