/** Single files out of real archives. Costs 1 s. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { create } from 'tar';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { extractTarEntry, extractZipEntry, forEachTarFile } from './unpack.ts';

async function makeTar(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, 'in', name, '..'), { recursive: true });
    await writeFile(join(folder, 'in', name), text);
  }
  const archive = join(folder, 'made.tar.gz');
  await create({ file: archive, cwd: join(folder, 'in'), gzip: true, prefix: '.' }, Object.keys(files));
  return archive;
}

describe('extractZipEntry', () => {
  it('writes the one entry, executable', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'one.txt'), 'first');
    await writeFile(join(folder, 'two.txt'), 'second');
    await execa('python3', ['-m', 'zipfile', '-c', 'made.zip', 'one.txt', 'two.txt'], { cwd: folder });
    const target = join(folder, 'out');
    await extractZipEntry(join(folder, 'made.zip'), 'two.txt', target, 0o755);
    expect(await readFile(target, 'utf8')).toBe('second');
    expect((await stat(target)).mode & 0o777).toBe(0o755);
    const absent = extractZipEntry(join(folder, 'made.zip'), 'three.txt', target, 0o644);
    await expect(absent).rejects.toMatchObject({ code: 'STP1204' });
  });
});

describe('tar archives', () => {
  it('give the wanted files in order', async () => {
    const archive = await makeTar({
      'a/1.olean': 'one',
      'a/._1.olean': 'of a Mac',
      '2.olean': 'two',
      'b.txt': 'other',
    });
    const seen: [string, string][] = [];
    await forEachTarFile(
      archive,
      (path) => path.endsWith('.olean') && !path.includes('._'),
      (path, bytes) => seen.push([path, Buffer.from(bytes).toString()]),
    );
    expect(seen).toEqual([
      ['a/1.olean', 'one'],
      ['2.olean', 'two'],
    ]);
  });

  it('pass on what the reader throws', async () => {
    const archive = await makeTar({ 'a.txt': 'a', 'b.txt': 'b' });
    let calls = 0;
    const reading = forEachTarFile(
      archive,
      () => true,
      () => {
        calls += 1;
        throw new Error('enough');
      },
    );
    await expect(reading).rejects.toThrow('enough');
    expect(calls).toBe(1);
  });

  it('say which entry is missing', async () => {
    const archive = await makeTar({ 'a.txt': 'a' });
    const absent = extractTarEntry(archive, 'package/lib.tar.gz', await temporaryFolder());
    await expect(absent).rejects.toMatchObject({
      code: 'STP1204',
      message: expect.stringContaining('package/lib.tar.gz'),
    });
  });
});
