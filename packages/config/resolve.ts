/** Resolves a run's configuration from preset, file, environment variables and options, and records each value's origin. */
import { describeIssues, StpError } from '@stp/base';
import { formatOf } from './formats.ts';
import {
  environmentKey,
  isSection,
  type Json,
  type JsonObject,
  leaves,
  parseValue,
  partialValues,
  removeValue,
  requireKnown,
  setValue,
} from './keys.ts';
import { loadPreset } from './presets.ts';
import { proverIn } from './schemas/provers/index.ts';
import { type RunConfig, runConfigSchema } from './schemas/run-config.ts';
import { foreignKeys, schemaKeys } from './variants.ts';

export { presetNames } from './presets.ts';

const ENVIRONMENT_PREFIX = 'STP_SET_';

export interface ConfigSources {
  readonly preset: string;
  /** Parsed content of a config file: any part of the schema. */
  readonly file?: { readonly path: string; readonly content: unknown };
  /** `STP_SET_SAMPLING__TEMPERATURE=0.8` sets `sampling.temperature`: two underscores stand for a dot. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Dotted keys of `--set`. Strings are parsed as JSON if possible; for a list, other texts are split at commas. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Values of the flags `--rounds` and `--seed`. */
  readonly flags?: { readonly rounds?: number; readonly seed?: number };
}

export interface ResolvedConfig {
  readonly config: RunConfig;
  /**
   * Source of each value by dotted key, in the schema's order: `preset stp-code`, `file my.json`, `STP_SET_SEED`,
   * `--set`, `--seed`, `default`.
   */
  readonly provenance: ReadonlyMap<string, string>;
}

/** Resolves a configuration. Throws STP1001, which names the source, the key and the known keys. */
export function resolveConfig(sources: ConfigSources): RunConfig {
  return resolveWithProvenance(sources).config;
}

/** Resolves a configuration as `resolveConfig` does, and returns the source of each value too. */
export function resolveWithProvenance(sources: ConfigSources): ResolvedConfig {
  const preset = loadPreset(sources.preset);
  // A preset may choose another variant of a section than the preset it extends: the inherited keys of the old
  // variant go.
  for (const key of [...foreignKeys(runConfigSchema, preset.values)])
    if (preset.givenBy.get(key) !== sources.preset) removeValue(preset.values, key);
  // the schema fills in optional keys, so that they are known too
  const values = checked(preset.values, `preset ${sources.preset}: `) as unknown as JsonObject;
  const before = leaves(values);
  const keys = [...before.keys()];
  const source = new Map<string, string>(
    keys.map((key) => [key, preset.givenBy.has(key) ? `preset ${preset.givenBy.get(key)}` : 'default']),
  );
  const known = [...new Set([...keys, ...schemaKeys(runConfigSchema)])];
  const isList = (key: string): boolean => Array.isArray(before.get(key));
  const given = [...overrides(sources, known, isList)];
  for (const { key, value, from } of given) {
    if (key === 'preset' && value !== sources.preset)
      throw new StpError('STP1001', `${from} says preset ${JSON.stringify(value)}`, 'Choose it with --preset instead.');
    setValue(values, requireKnown(key, known, from), value);
    source.set(key, from);
  }
  // if a source chooses another variant, the preset's keys of the old variant go
  for (const key of [...foreignKeys(runConfigSchema, values)])
    if (!given.some(({ key: other }) => other === key || other.startsWith(`${key}.`))) removeValue(values, key);
  const config = checked(values, '');
  requireRevision(config);
  return { config, provenance: new Map([...leaves(config).keys()].map((key) => [key, source.get(key) ?? 'default'])) };
}

interface Override {
  readonly key: string;
  readonly value: Json;
  readonly from: string;
}

/** Yields the values that override the preset, weakest first. */
function* overrides(
  sources: ConfigSources,
  keys: readonly string[],
  isList: (key: string) => boolean,
): Generator<Override> {
  const read = (key: string, text: string): Json => {
    const value = parseValue(text);
    return typeof value === 'string' && isList(key) ? value.split(',').map((word) => word.trim()) : value;
  };
  if (sources.file !== undefined) {
    const { path, content } = sources.file;
    if (!isSection(content))
      throw new StpError(
        'STP1001',
        `${path} is not a JSON object`,
        'Write an object with any keys of the configuration.',
      );
    for (const [key, value] of partialValues(content, keys)) yield { key, value, from: path };
  }
  for (const [name, value] of Object.entries(sources.environment ?? {}))
    if (name.startsWith(ENVIRONMENT_PREFIX) && value !== undefined) {
      const key = environmentKey(name, ENVIRONMENT_PREFIX, keys);
      yield { key, value: read(key, value), from: name };
    }
  for (const [key, value] of Object.entries(sources.set ?? {}))
    yield { key, value: typeof value === 'string' ? read(key, value) : (value as Json), from: '--set' };
  for (const [key, value] of Object.entries(sources.flags ?? {}))
    if (value !== undefined) yield { key, value, from: `--${key}` };
}

/** Refuses `prover.mode` `revise` for a model whose format has no words for revisions. */
function requireRevision({ prover }: RunConfig): void {
  if (!proverIn(prover).tellsErrors || formatOf(prover).revision !== null) return;
  throw new StpError(
    'STP1001',
    `prover.mode is ${prover.mode}, and the format ${prover.slots ? 'embedded' : prover.format} has no words for Lean's errors`,
    'docs/models.md says which values go together.',
  );
}

function checked(values: JsonObject, prefix: string): RunConfig {
  const parsed = runConfigSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new StpError(
    'STP1001',
    `${prefix}${describeIssues(parsed.error)}`,
    'Correct the value; `bin/stp config` prints all values and their sources.',
  );
}

/**
 * Returns the values that differ from the preset's, by dotted key: the `--set` options that rebuild the
 * configuration.
 */
export function changedValues(config: RunConfig): Record<string, string | number | boolean | null> {
  const preset = leaves(resolveConfig({ preset: config.preset }));
  return Object.fromEntries(
    [...leaves(config)]
      .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(preset.get(key)))
      .map(([key, value]) => [key, typeof value === 'object' && value !== null ? JSON.stringify(value) : value]),
  );
}

/** Throws STP1002, which names the first differing value: a run keeps the configuration that it was started with. */
export function requireSameConfig(run: string, stored: RunConfig, wanted: RunConfig): void {
  const had = leaves(stored);
  for (const [key, value] of leaves(wanted))
    if (JSON.stringify(value) !== JSON.stringify(had.get(key)))
      throw new StpError(
        'STP1002',
        `run ${run} was started with ${key} = ${JSON.stringify(had.get(key))}, not ${JSON.stringify(value)}`,
        'Give the same options to continue it, or another run name or folder.',
      );
}
