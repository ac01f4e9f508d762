/** Options that several commands share, and how their values are read. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { resolveConfig } from '../data/config/resolve.ts';
import { StpError } from '../data/errors.ts';
import { ROUNDS_MAX, type StartInput } from '../data/schemas/run-config.ts';

export function wholeNumber(name: string, min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`${name} must be a whole number from ${min} to ${max}.`);
  };
}

export const roundsValue = wholeNumber('rounds', 1, ROUNDS_MAX);
export const seedValue = wholeNumber('seed', 0, 2 ** 31 - 1);
export const portValue = wholeNumber('a port', 1, 65_535);

export function keyValue(text: string, previous: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('write it as key=value, for example sampling.temperature=0.8.');
  return { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
}

export interface RunOptions {
  readonly preset: string;
  readonly rounds?: number;
  readonly seed?: number;
  readonly set?: Record<string, string>;
  readonly config?: string;
}

/**
 * The input that starts a run, checked against the whole configuration before anything is started. Values of a config
 * file come before `--set` ones.
 */
export function startInput(options: RunOptions): StartInput {
  const fromFile = options.config === undefined ? {} : flatten(readConfigFile(options.config));
  const set = { ...fromFile, ...options.set };
  const flags = {
    ...(options.rounds === undefined ? {} : { rounds: options.rounds }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  };
  const config = resolveConfig({ preset: options.preset, environment: process.env, set, flags });
  return { rounds: config.rounds, preset: options.preset, seed: config.seed, set: set as StartInput['set'] };
}

function readConfigFile(path: string): object {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
  } catch (cause) {
    throw new StpError(
      'STP1001',
      `${path} cannot be read as JSON: ${(cause as Error).message}`,
      'Write a JSON object with keys of the configuration.',
      { cause },
    );
  }
  throw new StpError('STP1001', `${path} is not a JSON object`, 'Write a JSON object with keys of the configuration.');
}

/** `{a: {b: 1}}` → `{"a.b": 1}`; arrays stay values, written as JSON. */
function flatten(value: object, prefix = ''): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [key, inner] of Object.entries(value))
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      Object.assign(result, flatten(inner, `${prefix}${key}.`));
    else result[`${prefix}${key}`] = JSON.stringify(inner);
  return result;
}
