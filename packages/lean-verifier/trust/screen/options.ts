/**
 * Checks `set_option NAME NUMBER` in a proof against the allowed options and their maximum values in `forbidden.ts`.
 */

import type { Token } from '@stp/lean-text';
import type { Finding } from './finding.ts';
import { OPTIONS_MAX } from './forbidden.ts';

/** `index` is that of the word `set_option` in `tokens`, which must not contain comments. */
export function findOption(tokens: readonly Token[], index: number): Finding | null {
  const name = tokens[index + 1];
  const value = tokens[index + 2];
  const offset = tokens[index]!.start;
  const valueMax = name?.kind === 'word' ? OPTIONS_MAX.get(name.text) : undefined;
  if (valueMax === undefined) {
    return {
      offset,
      reason: `set_option ${name?.text.slice(0, 40) ?? ''} is not among ${[...OPTIONS_MAX.keys()].join(', ')}`,
    };
  }
  if (value?.kind !== 'number' || !/^[1-9][0-9]*$/.test(value.text) || Number(value.text) > valueMax) {
    return { offset, reason: `set_option ${name!.text} takes a number from 1 to ${valueMax}` };
  }
  return null;
}
