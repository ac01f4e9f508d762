/** The ELF reader on a real library (Node's own executable exports symbols) and on damaged files. Costs 1 s. */
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { definedSymbols } from './elf-symbols.ts';

const onLinux = process.platform === 'linux';

async function firstBytes(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(bytes);
    await file.read(buffer, 0, bytes, 0);
    return buffer;
  } finally {
    await file.close();
  }
}

describe.runIf(onLinux)('definedSymbols', () => {
  it('lists what a program defines, not what it needs', async () => {
    const symbols = await definedSymbols(process.execPath, 'napi_');
    expect(symbols).toContain('napi_create_object');
    expect([...symbols].every((name) => name.startsWith('napi_'))).toBe(true);
    // Memory comes from the C library: the name is in the table, but undefined.
    expect(await definedSymbols(process.execPath, 'pthread_create')).toEqual(new Set());
  });

  it('refuses a file that is cut short', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'short.so');
    for (const bytes of [0, 63, 64, 100_000]) {
      await writeFile(path, await firstBytes(process.execPath, bytes));
      await expect(definedSymbols(path, 'napi_')).rejects.toMatchObject({ code: 'STP1204' });
    }
  });

  it('refuses what is no ELF file', async () => {
    const path = join(await temporaryFolder(), 'text.so');
    await writeFile(path, await readFile(import.meta.filename));
    await expect(definedSymbols(path, 'l_')).rejects.toMatchObject({ code: 'STP1204' });
  });
});
