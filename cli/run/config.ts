/** `bin/stp config`: prints the resolved configuration with each value's source. Starts nothing. */
import { leaves, resolveWithProvenance } from '@stp/config';
import { configSources, type RunOptions } from '../shared/options.ts';

/**
 * Prints key, value and source of every value in aligned columns. With `json` it prints one object: `config` as a run
 * would store it, and `provenance`, the source by dotted key.
 */
export function config(options: RunOptions & { readonly json?: boolean }): void {
  const { config: resolved, provenance } = resolveWithProvenance(configSources(options));
  if (options.json === true) {
    console.log(JSON.stringify({ config: resolved, provenance: Object.fromEntries(provenance) }, null, 2));
    return;
  }
  console.log(
    aligned([
      ['key', 'value', 'from'],
      ...[...leaves(resolved)].map(([key, value]) => [key, JSON.stringify(value), provenance.get(key)!] as const),
    ]),
  );
}

/** Maximum column width; a longer cell shifts only its own line. */
const COLUMN_CHARS_MAX = 60;

function aligned(rows: readonly (readonly [string, string, string])[]): string {
  const width = (column: 0 | 1): number =>
    Math.max(...rows.map((row) => row[column].length).filter((length) => length <= COLUMN_CHARS_MAX));
  const [first, second] = [width(0), width(1)];
  return rows.map(([key, value, from]) => `${key.padEnd(first)}  ${value.padEnd(second)}  ${from}`).join('\n');
}
