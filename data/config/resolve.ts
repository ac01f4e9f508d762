/**
 * Resolves a run's configuration: preset < config file < `STP_SET_*` environment < `--set` values < flags. Every value
 * is checked by one schema; a key that is not in it is an error that names the nearest known one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { StpError } from '../errors.ts';
import { type RunConfig, runConfigSchema } from '../schemas/run-config.ts';
import { suggestion } from './nearest.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const PRESETS_DIRECTORY = join(import.meta.dirname, '..', 'presets');

export function presetNames(): string[] {
  return readdirSync(PRESETS_DIRECTORY)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

export interface ConfigSources {
  readonly preset: string;
  /** Parsed content of a config file: any part of the schema. */
  readonly file?: { readonly path: string; readonly content: unknown };
  /** `STP_SET_SAMPLING__TEMPERATURE=0.8` sets `sampling.temperature`; underscores doubled between parts. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Dotted keys of `--set`. Strings are read as JSON where they are JSON. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Flags with a name of their own. */
  readonly flags?: { readonly rounds?: number; readonly seed?: number };
}

/** The resolved configuration, or StpError STP1001 that names the source, the key and what is known. */
export function resolveConfig(sources: ConfigSources): RunConfig {
  const known = presetNames();
  if (!known.includes(sources.preset))
    throw new StpError(
      'STP1001',
      `there is no preset "${sources.preset.slice(0, 64)}"${suggestion(sources.preset, known)}`,
      `Presets: ${known.join(', ')}.`,
    );
  const config = JSON.parse(readFileSync(join(PRESETS_DIRECTORY, `${sources.preset}.json`), 'utf8')) as JsonObject;
  const keys = [...leaves(config).keys()];
  if (sources.file) mergeFile(config, sources.file, keys);
  for (const [name, value] of Object.entries(sources.environment ?? {}))
    if (name.startsWith('STP_SET_') && value !== undefined)
      setKey(config, environmentKey(name, keys), parseValue(value), keys, name);
  for (const [key, value] of Object.entries(sources.set ?? {}))
    setKey(config, key, typeof value === 'string' ? parseValue(value) : (value as Json), keys, '--set');
  for (const [key, value] of Object.entries(sources.flags ?? {})) if (value !== undefined) config[key] = value;
  const parsed = runConfigSchema.safeParse(config);
  if (!parsed.success)
    throw new StpError(
      'STP1001',
      describeIssues(parsed.error),
      'Correct the value; `bin/stp selfplay --help` lists the options.',
    );
  return parsed.data;
}

/** The leaves of a configuration that differ from its preset's, by dotted key: what has to be said to get it again. */
export function changedValues(config: RunConfig): Record<string, string | number | boolean | null> {
  const preset = leaves(resolveConfig({ preset: config.preset }));
  return Object.fromEntries(
    [...leaves(config)]
      .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(preset.get(key)))
      .map(([key, value]) => [
        key,
        Array.isArray(value) ? JSON.stringify(value) : (value as string | number | boolean | null),
      ]),
  );
}

/** STP1002 naming the first value that differs: a run keeps the configuration it was started with. */
export function requireSameConfig(run: string, stored: RunConfig, wanted: RunConfig): void {
  const had = leaves(stored);
  for (const [key, value] of leaves(wanted))
    if (JSON.stringify(value) !== JSON.stringify(had.get(key)))
      throw new StpError(
        'STP1002',
        `run ${run} was started with ${key} = ${JSON.stringify(had.get(key))}, not ${JSON.stringify(value)}`,
        'Give the same options to take it up again, or another run name or folder.',
      );
}

/** One line an issue: the dotted key and what is wrong with it. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 8)
    .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
    .join('; ');
}

function mergeFile(config: JsonObject, file: { path: string; content: unknown }, keys: readonly string[]): void {
  const merge = (value: unknown, path: string): void => {
    const isSection = path === '' || keys.some((key) => key.startsWith(`${path}.`));
    if (isSection && typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, inner] of Object.entries(value)) merge(inner, path === '' ? key : `${path}.${key}`);
    else setKey(config, path, value as Json, keys, file.path);
  };
  if (typeof file.content !== 'object' || file.content === null || Array.isArray(file.content))
    throw new StpError(
      'STP1001',
      `${file.path} is not a JSON object`,
      'Write an object with any keys of the configuration.',
    );
  merge(file.content, '');
}

function setKey(config: JsonObject, key: string, value: Json, keys: readonly string[], source: string): void {
  if (!keys.includes(key))
    throw new StpError(
      'STP1001',
      `${source} sets an unknown key "${key.slice(0, 128)}"${suggestion(key, keys)}`,
      'Known keys are those of config.json in any run folder.',
    );
  const parts = key.split('.');
  let target = config;
  for (const part of parts.slice(0, -1)) target = target[part] as JsonObject;
  target[parts.at(-1)!] = value;
}

function environmentKey(name: string, keys: readonly string[]): string {
  const wanted = name.slice('STP_SET_'.length).toLowerCase().replaceAll('__', '.').replaceAll('_', '');
  return keys.find((key) => key.toLowerCase() === wanted) ?? wanted;
}

/** Values by dotted key; an array is one value. */
function leaves(value: object, prefix = ''): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, inner] of Object.entries(value))
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      for (const leaf of leaves(inner, `${prefix}${key}.`)) found.set(...leaf);
    else found.set(`${prefix}${key}`, inner);
  return found;
}

function parseValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
