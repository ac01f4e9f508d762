/**
 * A premise index on disk: the premises of a corpus with the imports of their files, the term table of symbolic retrieval,
 * and, if an encoder made them, the premises' vectors. `manifest.json` has counts and checksums and is written last.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileChunks, linesOf, madeBy, unreadable } from '@stp/base/files';
import { fileSha256, writeFolder, writeLines } from '@stp/datasets';
import type { Generator } from '@stp/language-model';
import { PremiseCorpus, type TermTable, TermTableBuilder, termsOf } from '@stp/selfplay';
import { z } from 'zod';
import { readPremiseCorpus, retrievable } from './benchmark.ts';

/** Longest line of an index: a file with the names and positions of all its premises. */
const LINE_BYTES_MAX = 64 << 20;
const FILES = 'files.jsonl';
const TERMS = 'terms.jsonl';
const POSTINGS = 'postings.bin';
const VECTORS = 'vectors.bin';
const FLOAT_BYTES = 4;
const { read, damaged } = madeBy('Make the index again with --replace.');

const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const manifestSchema = z.strictObject({
  /** Version of the folder's format. */
  version: z.literal(2),
  files: count,
  premises: count,
  terms: count,
  /** Number of pairs of a term and a premise that contains it. */
  postings: count,
  /** Encoder of the vectors, and their length; null without vectors. */
  encoder: z.strictObject({ model: z.string(), size: count.min(1) }).nullable(),
  checksums: z.strictObject({ [FILES]: sha256, [TERMS]: sha256, [POSTINGS]: sha256, [VECTORS]: sha256.optional() }),
});
type IndexManifest = z.infer<typeof manifestSchema>;

const position = z.tuple([count, count]);
const fileSchema = z.strictObject({
  path: z.string(),
  imports: z.array(z.string()),
  premises: z.array(z.strictObject({ name: z.string(), start: position, end: position })),
});

export interface PremiseIndex {
  readonly corpus: PremiseCorpus;
  readonly table: TermTable;
  /** Vectors of the premises, one after another; null if the index has none. */
  readonly vectors: { readonly model: string; readonly size: number; readonly data: Float32Array } | null;
}

/** An encoder that makes vectors of premises. */
export type PremiseEncoder = Pick<Generator, 'model' | 'embed'>;

/**
 * Indexes a `corpus.jsonl`. Memory holds names, positions and terms, but no texts. Throws STP1002 if `folder` exists
 * and `replace` is false.
 */
export async function writePremiseIndex(
  corpusPath: string,
  folder: string,
  { replace, encoder }: { readonly replace: boolean; readonly encoder: PremiseEncoder | null },
): Promise<IndexManifest> {
  return writeFolder(folder, replace, async (partial) => {
    const builder = new TermTableBuilder();
    const files: z.infer<typeof fileSchema>[] = [];
    const corpus = await readPremiseCorpus(corpusPath, async (file) => {
      const premises = retrievable(file);
      for (const vector of (await encoder?.embed(premises.map(({ code }) => code))) ?? [])
        await appendFile(join(partial, VECTORS), new Uint8Array(vector.slice().buffer));
      for (const { full_name, code } of premises) builder.add(termsOf(`${full_name} ${code}`));
      files.push({
        path: file.path,
        imports: file.imports,
        premises: premises.map(({ full_name: name, start, end }) => ({ name, start, end })),
      });
    });
    const table = builder.finish();
    const written = [await writeLines(partial, FILES, files), await writeLines(partial, TERMS, table.terms)];
    const numbers = [table.starts, table.documents, table.counts, table.lengths];
    await writeFile(join(partial, POSTINGS), Buffer.concat(numbers.map((one) => Buffer.from(one.buffer))));
    const manifest: IndexManifest = {
      version: 2,
      files: files.length,
      premises: corpus.premises.length,
      terms: table.terms.length,
      postings: table.documents.length,
      encoder: encoder === null ? null : { model: encoder.model.name, size: encoder.model.hiddenSize },
      checksums: {
        [FILES]: written[0]!.sha256,
        [TERMS]: written[1]!.sha256,
        [POSTINGS]: await fileSha256(join(partial, POSTINGS)),
        ...(encoder === null ? {} : { [VECTORS]: await fileSha256(join(partial, VECTORS)) }),
      },
    };
    await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  });
}

/** Throws STP1405 if there is no index, and STP1402 for a file that does not match the manifest. */
export async function openPremiseIndex(folder: string): Promise<PremiseIndex> {
  const path = join(folder, 'manifest.json');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  const manifest = read(text, manifestSchema, path);
  for (const [file, checksum] of Object.entries(manifest.checksums))
    if ((await fileSha256(join(folder, file))) !== checksum) throw damaged(join(folder, file), 'another checksum');
  const corpus = new PremiseCorpus();
  for await (const { line, text: row } of linesOf(
    fileChunks(join(folder, FILES)),
    join(folder, FILES),
    LINE_BYTES_MAX,
  )) {
    const file = read(row, fileSchema, `${join(folder, FILES)}:${line}`);
    corpus.add(file.path, file.imports, file.premises);
  }
  const terms: string[] = [];
  for await (const { text: row } of linesOf(fileChunks(join(folder, TERMS)), join(folder, TERMS), LINE_BYTES_MAX))
    terms.push(read(row, z.string(), join(folder, TERMS)));
  const { buffer, byteOffset, byteLength } = await readFile(join(folder, POSTINGS));
  const sizes = [manifest.terms + 1, manifest.postings, manifest.postings, manifest.premises];
  if (byteLength !== 4 * sizes.reduce((sum, size) => sum + size, 0) || terms.length !== manifest.terms)
    throw damaged(join(folder, POSTINGS), `${byteLength} bytes do not fit the manifest`);
  let at = byteOffset;
  const [starts, documents, counts, lengths] = sizes.map((size) => {
    const part = new Uint32Array(buffer.slice(at, at + 4 * size));
    at += 4 * size;
    return part;
  }) as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  const table = { terms, starts, documents, counts, lengths };
  if (manifest.encoder === null) return { corpus, table, vectors: null };
  const { model, size } = manifest.encoder;
  const bytes = await readFile(join(folder, VECTORS));
  if (bytes.byteLength !== FLOAT_BYTES * size * manifest.premises)
    throw damaged(join(folder, VECTORS), `${bytes.byteLength} bytes do not fit the manifest`);
  const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return { corpus, table, vectors: { model, size, data } };
}
