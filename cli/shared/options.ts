/** Options that several commands share, and the parsers of their values. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repeatedKey, StpError } from '@stp/base';
import {
  type ConfigSources,
  changedValues,
  type LlamaCppEngine,
  ROUNDS_MAX,
  type RunConfig,
  resolveConfig,
  type StartInput,
} from '@stp/config';
import { InvalidArgumentError } from 'commander';

export function wholeNumber(name: string, min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`${name} must be a whole number from ${min} to ${max}.`);
  };
}

export const roundsValue = wholeNumber('rounds', 1, ROUNDS_MAX);
/** `sft` is the state before any round. */
export const fromRoundValue = (text: string): number =>
  text === 'sft' ? -1 : wholeNumber('from-round', 0, ROUNDS_MAX)(text);
export const seedValue = wholeNumber('seed', 0, 2 ** 31 - 1);
/** Reads a learning rate. */
export function rateValue(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('a learning rate must be a number above 0, at most 1.');
}
export const samplesValue = wholeNumber('samples', 1, 1_000_000);
export const temperatureValue = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 4) return value;
  throw new InvalidArgumentError('a temperature must be a number from 0 to 4.');
};
/** Maximum of time options: a day. */
export const SECONDS_MAX = 86_400;
/** Parses seconds of wall time; fractions are allowed. */
export const secondsValue = (text: string): number => {
  const value = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && value >= 1 && value <= SECONDS_MAX) return value;
  throw new InvalidArgumentError(`a time must be a number of seconds from 1 to ${SECONDS_MAX}, such as 60 or 2.5.`);
};
/** Adds one `FILE` or `FILE=SCALE`. */
export function adaptersValue(text: string, previous: LlamaCppEngine['adapters'] = []): LlamaCppEngine['adapters'] {
  const match = /^(.+?)=(-?\d+(?:\.\d+)?)$/u.exec(text);
  return [...previous, { path: resolve(match?.[1] ?? text), scale: Number(match?.[2] ?? 1) }];
}

export const countValue = wholeNumber('the number', 1, 1_000_000_000);
export const amountValue = (text: string): number => {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount >= 0) return amount;
  throw new InvalidArgumentError('Write a number that is not negative.');
};
export const portValue = wholeNumber('a port', 1, 65_535);
export const hexPrefix = (text: string): string => {
  if (/^[0-9a-f]{1,32}$/.test(text)) return text;
  throw new InvalidArgumentError('write 1 to 32 hexadecimal digits, for example 3f.');
};

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
  readonly initFrom?: string;
  readonly fromRound?: number;
}

/** Returns the sources of a configuration: the options and this process's environment. */
export function configSources(options: RunOptions): ConfigSources {
  return {
    preset: options.preset,
    ...(options.config === undefined
      ? {}
      : { file: { path: options.config, content: readConfigFile(options.config) } }),
    environment: process.env,
    ...(options.set === undefined ? {} : { set: options.set }),
    flags: {
      ...(options.rounds === undefined ? {} : { rounds: options.rounds }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    },
  };
}

/**
 * Returns a run's checked configuration, and the input that starts the run. The input contains all differences from the
 * preset (by file, `STP_SET_…` variables, `--set`), so the worker needs neither file nor variables.
 */
export function startInput(options: RunOptions): { input: StartInput; config: RunConfig } {
  const config = resolveConfig(configSources(options));
  const { rounds, seed, ...set } = changedValues(config);
  const { fromRound } = options;
  const initFrom = options.initFrom === undefined ? undefined : runReference(options.initFrom);
  if (fromRound !== undefined && initFrom === undefined)
    throw new StpError('STP1002', '--from-round is given without --init-from', 'Name the run with --init-from.');
  const origin = { ...(initFrom === undefined ? {} : { initFrom }), ...(fromRound === undefined ? {} : { fromRound }) };
  return { input: { rounds: config.rounds, preset: config.preset, seed: config.seed, ...origin, set }, config };
}

/** Converts a folder to a URI, because workers run in other folders. Names and URIs stay unchanged. */
export function runReference(text: string): string {
  return text.includes('/') && !text.includes('://') ? pathToFileURL(resolve(text)).href : text;
}

function readConfigFile(path: string): object {
  let text: string;
  let content: unknown;
  try {
    // Passes over a byte order mark.
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    content = JSON.parse(text);
  } catch (cause) {
    throw new StpError(
      'STP1001',
      `${path} cannot be read as JSON: ${(cause as Error).message}`,
      'Write a JSON object with keys of the configuration.',
      { cause },
    );
  }
  const key = repeatedKey(text);
  if (key !== null) throw new StpError('STP1001', `${path} has two keys ${key}`, 'Write each key of an object once.');
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
  throw new StpError('STP1001', `${path} is not a JSON object`, 'Write a JSON object with keys of the configuration.');
}

/** Default name of a run: its preset and its start time (UTC). */
export function freshRunName(preset: string): string {
  return `${preset}-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
}

/** Returns one line about a run, for the Temporal UI. */
export function runSummary({ rounds, preset }: StartInput): string {
  return `self-play, ${rounds} round${rounds === 1 ? '' : 's'}, preset ${preset}`;
}
