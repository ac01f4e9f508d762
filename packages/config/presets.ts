/**
 * Presets: `data/presets/NAME.json`. Each is a whole configuration, or the differences from the preset that it
 * `extends`. This file resolves the chain and checks no values.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { isSection, type JsonObject, leaves, setValue } from './keys.ts';
import { suggestion } from './nearest.ts';

const PRESETS_DIRECTORY = join(import.meta.dirname, '../../data/presets');

export function presetNames(directory = PRESETS_DIRECTORY): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

export interface Preset {
  /** All values of the chain, merged and unchecked. */
  readonly values: JsonObject;
  /** The preset that gave each dotted key its value. */
  readonly givenBy: ReadonlyMap<string, string>;
}

/**
 * Loads a preset and all that it extends; the nearer preset wins. Throws STP1001 for an unknown name, a cycle, or a
 * file that is not a preset.
 */
export function loadPreset(name: string, directory = PRESETS_DIRECTORY): Preset {
  const values: JsonObject = {};
  const givenBy = new Map<string, string>();
  for (const { preset, content } of chain(name, directory))
    for (const [key, value] of leaves(content)) {
      setValue(values, key, value);
      givenBy.set(key, preset);
    }
  setValue(values, 'preset', name);
  givenBy.set('preset', name);
  return { values, givenBy };
}

/** Returns the chain of presets: the base first, the named preset last. */
function chain(name: string, directory: string): { preset: string; content: JsonObject }[] {
  const links: { preset: string; content: JsonObject }[] = [];
  let wanted: string | null = name;
  while (wanted !== null) {
    if (links.some((link) => link.preset === wanted))
      throw new StpError(
        'STP1001',
        `preset ${name} extends itself: ${[...links.map((link) => link.preset), wanted].join(' → ')}`,
        'Remove one `extends`.',
      );
    const { extends: extended = null, ...content } = readPreset(wanted, directory);
    if (extended !== null && typeof extended !== 'string')
      throw new StpError('STP1001', `preset ${wanted}: extends must be a name`, 'Write the name of another preset.');
    links.push({ preset: wanted, content });
    wanted = extended;
  }
  return links.reverse();
}

function readPreset(name: string, directory: string): JsonObject {
  const known = presetNames(directory);
  if (!known.includes(name))
    throw new StpError(
      'STP1001',
      `there is no preset "${name.slice(0, 64)}"${suggestion(name, known)}`,
      `Presets: ${known.join(', ')}.`,
    );
  const path = join(directory, `${name}.json`);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new StpError('STP1001', `${path} is not JSON: ${(cause as Error).message}`, 'Correct the file.', { cause });
  }
  if (!isSection(content)) throw new StpError('STP1001', `${path} is not a JSON object`, 'Correct the file.');
  return content;
}
