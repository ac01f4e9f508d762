/** An activity is a file: it has the activity's name and lies in the folder of the task queue that runs it. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createControlActivities,
  createHostActivities,
  createLeanActivities,
  createNodeActivities,
} from '../../activities/index.ts';
import type { Ports } from '../../activities/ports.ts';

const ROOT = join(import.meta.dirname, '../..');
const camelCase = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, 'activities', folder)).map((file) => file.replace(/\.ts$/, ''));
/** A factory uses its ports only when its activity runs. */
const ports = new Proxy({} as Ports, {
  get: (_, name) => {
    throw new Error(`the port ${String(name)} is used before its activity runs`);
  },
});
const REGISTERED = {
  control: createControlActivities(ports),
  lean: createLeanActivities(ports),
  host: createHostActivities(ports),
  'every-node': createNodeActivities(ports),
};

describe.each(['control', 'lean', 'host', 'every-node'] as const)('the folder %s', (folder) => {
  it.each(filesIn(folder))('has in %s.ts one activity, of that name', async (file) => {
    const name = camelCase(file);
    const module: Record<string, unknown> = await import(`../../activities/${folder}/${file}.ts`);
    expect(Object.keys(module).filter((key) => key.endsWith('Activity'))).toEqual([`${name}Activity`]);
    const factory = module[`${name}Activity`] as (its: Ports) => Readonly<Record<string, unknown>>;
    expect(Object.keys(factory(ports))).toEqual([name]);
  });

  it('has the activities of its queue, and no others', () => {
    // A node's own queue has the work of the host and that of every node.
    const all = folder === 'host' ? [...filesIn('host'), ...filesIn('every-node')] : filesIn(folder);
    expect(Object.keys(REGISTERED[folder]).sort()).toEqual(all.map(camelCase).sort());
  });
});

it('workflows call every activity', () => {
  const workflows = globSync('workflows/**/*.ts', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const called = new Set(workflows.join('\n').match(/\b[a-z][A-Za-z]+\b/g));
  const names = Object.values(REGISTERED).flatMap((activities) => Object.keys(activities));
  expect(names.filter((name) => !called.has(name))).toEqual([]);
});
