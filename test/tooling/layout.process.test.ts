/** ARCHITECTURE.md draws who imports whom. The drawing is held against the code: no arrow too many, none missing, no circle. */
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
