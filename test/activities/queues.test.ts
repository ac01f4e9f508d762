/**
 * An activity is a file: it has the activity's name and lies in the folder of the task queue that runs it. That of a prover or
 * conjecturer lies in the method's folder, and the index of all methods names its queue.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conjecturerHostActivities, conjecturerLeanActivities } from '../../activities/conjecturers/index.ts';
import {
  createControlActivities,
  createHostActivities,
  createLeanActivities,
  createNodeActivities,
} from '../../activities/index.ts';
import type { Ports } from '../../activities/ports.ts';
import { proverControlActivities, proverHostActivities, proverLeanActivities } from '../../activities/provers/index.ts';

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

/** Activities of methods by their queue. */
const OF_METHODS = {
  control: proverControlActivities(ports),
  lean: { ...proverLeanActivities(ports), ...conjecturerLeanActivities(ports) },
  host: { ...proverHostActivities(ports), ...conjecturerHostActivities(ports) },
  'every-node': {},
};

/** Checks that a file has one activity, named as the file. */
async function expectOne(path: string): Promise<void> {
  const name = camelCase(basename(path, '.ts'));
  const module: Record<string, unknown> = await import(join(ROOT, 'activities', path));
  expect(Object.keys(module).filter((key) => key.endsWith('Activity'))).toEqual([`${name}Activity`]);
  const factory = module[`${name}Activity`] as (its: Ports) => Readonly<Record<string, unknown>>;
  expect(Object.keys(factory(ports))).toEqual([name]);
}

describe.each(['control', 'lean', 'host', 'every-node'] as const)('the folder %s', (folder) => {
  it.each(filesIn(folder))('has in %s.ts one activity, of that name', (file) => expectOne(`${folder}/${file}.ts`));

  it('has the activities of its queue, and no others', () => {
    // A node's own queue has the work of the host and that of every node.
    const all = folder === 'host' ? [...filesIn('host'), ...filesIn('every-node')] : filesIn(folder);
    const wanted = [...all.map(camelCase), ...Object.keys(OF_METHODS[folder])];
    expect(Object.keys(REGISTERED[folder]).sort()).toEqual(wanted.sort());
  });
});

describe('folders of methods', () => {
  const files = globSync('{provers,conjecturers}/*/*.ts', { cwd: join(ROOT, 'activities') }).filter((path) =>
    readFileSync(join(ROOT, 'activities', path), 'utf8').includes('Activity('),
  );
  const names = Object.values(OF_METHODS).flatMap((activities) => Object.keys(activities));

  it.each(files.filter((path) => names.includes(camelCase(basename(path, '.ts')))))(
    '%s has one activity, of that name',
    expectOne,
  );

  it('have every activity of a method', () => {
    const named = files.map((path) => camelCase(basename(path, '.ts')));
    expect(names.filter((name) => !named.includes(name))).toEqual([]);
  });
});

const textOf = (pattern: string): string =>
  globSync(pattern, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');

it('every activity is called by workflows, or is the turn of a method', () => {
  const methods = textOf('packages/config/schemas/{provers,conjecturers}/*.ts');
  const turns = [...methods.matchAll(/\bactivity: '(\w+)'/g)].map(([, name]) => name!);
  const called = new Set([...textOf('workflows/**/*.ts').match(/\b[a-z][A-Za-z]+\b/g)!, ...turns]);
  const names = Object.values(REGISTERED).flatMap((activities) => Object.keys(activities));
  expect(names.filter((name) => !called.has(name))).toEqual([]);
  expect(turns.filter((name) => !names.includes(name))).toEqual([]);
});
