/**
 * A configuration as values under dotted keys (`sampling.temperature`): reads and sets them. Knows JSON and keys; the
 * schema decides which values are valid.
 */
import { StpError } from '@stp/base';
import { suggestion } from './nearest.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Objects that are set as a whole: their keys are the user's own words, or their fields make sense only together. */
export const WHOLE_VALUES: ReadonlySet<string> = new Set([
  'data.weights',
  'nodes.labels',
  'nodes.secrets',
  'prover.customFormat',
]);

/** Returns values by dotted key, in the order of the object. An array is one value. */
export function leaves(value: object, prefix = ''): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const [key, inner] of Object.entries(value) as [string, Json][]) {
    const path = `${prefix}${key}`;
    if (isSection(inner) && !WHOLE_VALUES.has(path)) for (const leaf of leaves(inner, `${path}.`)) found.set(...leaf);
    else found.set(path, inner);
  }
  return found;
}

/** Sets one value of `config`, creating missing sections. */
export function setValue(config: JsonObject, key: string, value: Json): void {
  const parts = key.split('.');
  let target = config;
  for (const part of parts.slice(0, -1)) {
    const inner = target[part];
    const section: JsonObject = isSection(inner) ? inner : {};
    target[part] = section;
    target = section;
  }
  target[parts.at(-1)!] = value;
}

/** Removes one value or section of `config`. */
export function removeValue(config: JsonObject, key: string): void {
  const parts = key.split('.');
  const section = parts.slice(0, -1).reduce<Json | undefined>((at, part) => (at as JsonObject)[part], config);
  delete (section as JsonObject)[parts.at(-1)!];
}

/**
 * Returns the key if the configuration has it. Otherwise throws STP1001, which names the source and the nearest key.
 */
export function requireKnown(key: string, keys: readonly string[], source: string): string {
  if (keys.includes(key)) return key;
  throw new StpError(
    'STP1001',
    `${source} sets an unknown key "${key.slice(0, 128)}"${suggestion(key, keys)}`,
    '`bin/stp config` prints all known keys.',
  );
}

/**
 * Yields the dotted keys and values of an object that holds any part of the configuration. Sections are split into
 * values.
 */
export function* partialValues(content: JsonObject, keys: readonly string[], path = ''): Generator<[string, Json]> {
  for (const [key, value] of Object.entries(content)) {
    const inner = path === '' ? key : `${path}.${key}`;
    const isKnownSection = keys.some((known) => known.startsWith(`${inner}.`));
    if (isKnownSection && isSection(value)) yield* partialValues(value, keys, inner);
    else yield [inner, value];
  }
}

/**
 * Finds the key that an environment variable names: `STP_SET_SAMPLING__MAX_TOKENS` is `sampling.maxTokens`. Two
 * underscores stand for a dot; single underscores and case do not matter.
 */
export function environmentKey(name: string, prefix: string, keys: readonly string[]): string {
  const wanted = name.slice(prefix.length).toLowerCase().replaceAll('__', '.').replaceAll('_', '');
  return keys.find((key) => key.toLowerCase() === wanted) ?? wanted;
}

/**
 * Parses a text as JSON or as a list of words in brackets (`[mlflow,tensorboard]`). Returns any other text unchanged.
 */
export function parseValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const words = /^\[([\w-]+(?:, ?[\w-]+)*)\]$/.exec(text)?.[1];
    return words === undefined ? text : words.split(/, ?/);
  }
}

export function isSection(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
