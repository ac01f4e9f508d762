/**
 * Reads from the code which parts import which, for the drawings of ARCHITECTURE.md: between top folders and packages,
 * and between the folders inside an opened one. Tests and their helpers are left out.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../..');
/** Folders whose inner folders are drawn. */
export const OPENED = ['activities', 'lean-verifier', 'lean-explore', 'language-model', 'workflows'];
const FOLDERS = '{packages,workflows,activities,workers,infra,cli,tools}/**/*.ts';
const TESTS = /\.(?:test|slow)\.ts$|\/testing\/|\/testing\.ts$/;
const IMPORT = /^(?:import|export)\b[^;]*?\sfrom '(?:@stp\/([\w-]+)[^']*|(\.[^']+))';/gmu;

/** Returns the unit of a file: `lean-kernel` for `packages/lean-kernel/read/lines.ts`, `cli` for `cli/main.ts`. */
const unitOf = (path: string): string => path.split('/')[path.startsWith('packages/') ? 1 : 0]!;

/** Returns the folder inside an opened one; null for files directly in it and for files elsewhere. */
function innerOf(path: string, opened: string): string | null {
  const parts = path.split('/').slice(path.startsWith('packages/') ? 1 : 0);
  return parts[0] === opened && parts.length > 2 ? `${opened}/${parts[1]}` : null;
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns, by folder, the folders that it imports: those on top and the packages, or those inside `opened`. */
export function importsByFolder(opened: string | null): Graph {
  const graph = new Map<string, Set<string>>();
  const folderOf = (path: string): string | null => (opened === null ? unitOf(path) : innerOf(path, opened));
  for (const file of globSync(FOLDERS, { cwd: REPOSITORY }).filter((path) => !TESTS.test(path))) {
    const from = folderOf(file);
    if (from === null) continue;
    const imported = graph.get(from) ?? new Set<string>();
    graph.set(from, imported);
    for (const [, name, path] of readFileSync(join(REPOSITORY, file), 'utf8').matchAll(IMPORT)) {
      const found = name === undefined ? posix.join(posix.dirname(file), path!) : `packages/${name}/index.ts`;
      const to = folderOf(found);
      if (to !== null && to !== from && !to.startsWith('test')) imported.add(to);
    }
  }
  return graph;
}

/** Returns all units reachable from a folder. An error names the circle that contains it. */
function reached(graph: Graph, from: string): Set<string> {
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

/** Returns the lines of a drawing, without arrows that follow from two others. */
export function arrows(graph: Graph): string[] {
  const lines: string[] = [];
  for (const [from, imported] of graph)
    for (const to of imported) {
      const around = [...imported].some((other) => other !== to && reached(graph, other).has(to));
      if (!around) lines.push(`${from} --> ${to}`);
    }
  return lines.sort();
}
