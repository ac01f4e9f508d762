/** Pages name settings that the configuration has: `prover.mode`, `--set sampling.temperature=0.8`, keys of JSON blocks' text. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runConfigSchema } from '@stp/config';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from './guides.ts';

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
};

/** The dotted names of all keys, of every case of a union; `*` stands for a key that people choose. */
function* namesOf(schema: Schema, path = ''): Generator<string> {
  if (path !== '') yield path;
  for (const [key, inner] of Object.entries(schema.properties ?? {}))
    yield* namesOf(inner, path === '' ? key : `${path}.${key}`);
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    yield* namesOf(inner, path);
  if (typeof schema.additionalProperties === 'object') yield* namesOf(schema.additionalProperties, `${path}.*`);
}

const known = new Set(namesOf(z.toJSONSchema(runConfigSchema, { io: 'input', unrepresentable: 'any' }) as Schema));
const sections = [...known].filter((name) => !name.includes('.'));

const PAGES = globSync(['*.md', 'docs/*.md', 'packages/*/README.md'], { cwd: REPOSITORY }).filter(
  (path) => !['CHANGELOG.md', 'docs/log.md'].includes(path),
);
const KEY = new RegExp(`^(?:--set )?'?((?:${sections.join('|')})(?:\\.[A-Za-z]+)+)(?:=.*)?'?$`);
/** Names of files, and of objects that are no settings. */
const OTHERS = /\.(?:json|jsonl|md|ts|html|lean|olean|text|yaml)$|^data\.csv$|^sandbox\./;

describe('settings', () => {
  const named = PAGES.flatMap((path) => {
    const text = readFileSync(join(REPOSITORY, path), 'utf8');
    const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!);
    const set = [...text.matchAll(/--set '?([A-Za-z.]+)=/g)].map(([, name]) => name!);
    return [...quoted.flatMap((name) => KEY.exec(name)?.[1] ?? []), ...set]
      .filter((name) => !OTHERS.test(name))
      .map((name) => [path, name] as const);
  });

  it('that pages name are known', () => {
    expect(known.size).toBeGreaterThan(150);
    expect(named.length).toBeGreaterThan(80);
    const isKnown = (name: string): boolean => known.has(name) || known.has(name.replace(/\.[^.]+$/, '.*'));
    expect(named.filter(([, name]) => !isKnown(name)).map((one) => one.join(': '))).toEqual([]);
  });
});
