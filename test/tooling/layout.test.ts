/** ARCHITECTURE.md draws who imports whom. The drawing is held against the code: no arrow too many, none missing, no circle. */
import { glob, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '..', '..');
/** Folders whose inner folders are drawn too. */
const OPENED = ['activities', 'lean', 'model', 'workflows'];
const IMPORT = /^(?:import|export)\b[^;]*?\sfrom '(\.[^']+)';/gmu;

/** By folder, the folders that it imports. Files that lie directly in an opened folder are ports or indices and not drawn. */
async function importsByFolder(opened: string | null): Promise<Map<string, Set<string>>> {
  const graph = new Map<string, Set<string>>();
  const folderOf = (path: string): string | null => {
    const [top, inner, file] = path.split('/');
    if (opened === null) return top!;
    return top === opened && file !== undefined ? `${top}/${inner}` : null;
  };
  const files = glob(
    `${opened ?? '{workflows,activities,workers,selfplay,suggest,judge,lean,model,infra,data,cli,tools}'}/**/*.ts`,
    {
      cwd: REPOSITORY,
    },
  );
  for await (const file of files) {
    const from = folderOf(file);
    if (from === null) continue;
    const imported = graph.get(from) ?? new Set();
    graph.set(from, imported);
    const text = await readFile(join(REPOSITORY, file), 'utf8');
    for (const [, path] of text.matchAll(IMPORT)) {
      const to = folderOf(relative(REPOSITORY, join(REPOSITORY, file, '..', path!)));
      if (to !== null && to !== from && !to.startsWith('test')) imported.add(to);
    }
  }
  return graph;
}

/** All that is reached from a folder; an error names the circle that holds it. */
function reached(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> {
  const found = new Set<string>();
  const walk = (at: string, path: readonly string[]): void => {
    for (const next of graph.get(at) ?? []) {
      if (path.includes(next)) throw new Error(`a circle of folders: ${[...path, next].join(' → ')}`);
      if (found.has(next)) continue;
      found.add(next);
      walk(next, [...path, next]);
    }
  };
  walk(from, [from]);
  return found;
}

/** The lines of the drawing: an arrow that follows from two others is left out. */
function arrows(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const lines: string[] = [];
  for (const [from, imported] of graph)
    for (const to of imported) {
      const around = [...imported].some((other) => other !== to && reached(graph, other).has(to));
      if (!around) lines.push(`${from} --> ${to}`);
    }
  return lines.sort();
}

describe('the drawing of the folders in ARCHITECTURE.md', () => {
  it.each([null, ...OPENED])('shows each import between folders, and no other (%s)', async (opened) => {
    const text = await readFile(join(REPOSITORY, 'ARCHITECTURE.md'), 'utf8');
    const blocks = [...text.matchAll(/```mermaid\n([\s\S]*?)```/gu)].map(([, block]) => block!);
    const drawn = blocks
      .flatMap((block) => block.split('\n'))
      .map((line) => line.trim())
      .filter((line) => line.includes('-->'))
      .filter((line) => (opened === null ? !line.includes('/') : line.startsWith(`${opened}/`)));
    expect(drawn.sort().join('\n')).toBe(arrows(await importsByFolder(opened)).join('\n'));
  });
});
