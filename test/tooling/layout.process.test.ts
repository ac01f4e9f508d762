/** Compares the import drawings of ARCHITECTURE.md with the code: no wrong arrow, no missing one, no circle. */
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { arrows, importsByFolder, OPENED } from './layout.ts';

const PAGE = join(import.meta.dirname, '../../ARCHITECTURE.md');

describe('the drawing of the folders in ARCHITECTURE.md', () => {
  it.each([null, ...OPENED])('shows each import between folders, and no other (%s)', async (opened) => {
    const text = await readFile(PAGE, 'utf8');
    const blocks = [...text.matchAll(/```mermaid\n([\s\S]*?)```/gu)].map(([, block]) => block!);
    const drawn = blocks
      .flatMap((block) => block.split('\n'))
      .map((line) => line.trim())
      .filter((line) => line.includes('-->'))
      .filter((line) => (opened === null ? !line.includes('/') : line.startsWith(`${opened}/`)));
    expect(drawn.sort().join('\n')).toBe(arrows(importsByFolder(opened)).join('\n'));
  });
});

it('files of the slow tier have its tag, without which they never run', () => {
  const cwd = join(import.meta.dirname, '../..');
  const files = globSync('{test,packages}/**/*.slow.ts', { cwd, exclude: (path) => path === 'node_modules' });
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((path) => !readFileSync(join(cwd, path), 'utf8').includes('@module-tag slow'))).toEqual([]);
});
