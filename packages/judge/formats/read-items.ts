/** Reads a file of proofs or problems in words, in any known form. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { HALF_CHARACTER, halfCharacterAt, StpError } from '@stp/base';
import { linesOf } from '@stp/base/files';
import type { Item } from './item.ts';
import { llmproofsItems } from './llmproofs.ts';
import { proofbenchItems } from './proofbench.ts';
import { itemOfRow } from './rows.ts';
import { verlItems } from './verl.ts';

/** Maximum size of a row: a proof of 100,000 tokens with its problem, as JSON. */
const ROW_BYTES_MAX = 2 ** 23;

/** Throws STP1501 with the line if the file has no known form, STP1405 if it cannot be read. */
export async function readItems(path: string): Promise<Item[]> {
  const read = await readAs(path).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof StpError || error.code === undefined) throw error;
    throw new StpError('STP1405', `cannot read ${path}: ${error.message}`, 'Name a file of proofs or problems.');
  });
  if (typeof read === 'string')
    throw new StpError('STP1501', `${path}: ${read}`, 'docs/judges.md lists the forms of files that are read.');
  return read;
}

async function readAs(path: string): Promise<Item[] | string> {
  switch (extname(path)) {
    case '.parquet':
      return verlItems(path);
    case '.csv':
      return proofbenchItems(await readFile(path, 'utf8'));
    case '.json':
      return parsed(await readFile(path, 'utf8'), llmproofsItems);
    default:
      return rowItems(path);
  }
}

async function rowItems(path: string): Promise<Item[] | string> {
  const items: Item[] = [];
  for await (const { line, text } of linesOf(createReadStream(path), path, ROW_BYTES_MAX)) {
    const item = parsed(text, itemOfRow);
    if (typeof item === 'string') return `line ${line}: ${item}`;
    items.push(item);
  }
  return items;
}

function parsed<Read>(text: string, read: (json: unknown) => Read): Read | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
  const half = halfCharacterAt(json);
  return half === null ? read(json) : `${half.join('.')}: ${HALF_CHARACTER}`;
}
