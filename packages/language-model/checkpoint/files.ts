/** Reads a model's files. Refuses files above a size limit, and reports every fault in them as STP1302. */
import { access, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';
import { damaged, foreign, unreadable } from '../damaged.ts';

/** Largest file read into memory: 500 million F32 weights, the maximum for a graph of the embedded engine. */
export const FILE_BYTES_MAX = 2 ** 31;

export interface ModelFiles {
  path(name: string): string;
  /** Throws STP1302 if the file is missing or larger. */
  read(name: string, bytesMax: number): Promise<Buffer>;
  /** Returns null if the file is missing. */
  find(name: string, bytesMax: number): Promise<Buffer | null>;
}

/** The files of a folder, without checksums. */
export function folderFiles(directory: string): ModelFiles {
  const path = (name: string): string => join(directory, name);
  const read = (name: string, bytesMax: number) => readWhole(path(name), bytesMax);
  return {
    path,
    read,
    find: async (name, bytesMax) => ((await isThere(path(name))) ? read(name, bytesMax) : null),
  };
}

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export async function readWhole(path: string, bytesMax: number): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > bytesMax) throw damaged(path, `${size} bytes, ${bytesMax} allowed`);
    const file = await open(path);
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof StpError) throw cause;
    throw unreadable(path, cause);
  }
}

/** Parses JSON. If `parse` refuses it, the error says that the file belongs to another kind of model. */
export function parseJson<Value>(bytes: Buffer, path: string, parse: (json: unknown) => Value): Value {
  try {
    return parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    if (cause instanceof StpError) throw cause;
    if (cause instanceof z.ZodError) throw foreign(path, describeIssues(cause), cause);
    throw damaged(path, String(cause), cause);
  }
}
