/** Keys of statements that the SFT set must not contain. */

import type { RunConfig } from '@stp/config';
import { heldOutKeysOf } from '@stp/selfplay';
import type { DataSources } from '../ports.ts';
import { slotKeys, theoremKeys } from '../prover-forms.ts';
import { takeStatements } from './take-statements.ts';

export interface SealedKeys {
  /** `statementKey` of every held-out statement of the run's sets. */
  readonly statementKeys: ReadonlySet<string>;
  /** `theoremKey` of every held-out statement. */
  readonly theoremKeys: ReadonlySet<string>;
  /** `slotKey` of every statement of the run's sets, also of training statements, if names are slots. */
  readonly slotKeys: ReadonlySet<string>;
}

/** Reads all statements of the run's sets. Memory holds the keys, about 100 bytes each. */
export async function collectSealedKeys(
  ports: DataSources<'problemSet' | 'definitions'>,
  config: RunConfig,
  signal: AbortSignal,
): Promise<SealedKeys> {
  const keys = { statementKeys: new Set<string>(), theoremKeys: new Set<string>(), slotKeys: new Set<string>() };
  const slotKeyOf = await slotKeys(ports.sources, config.prover);
  const theoremKeyOf = await theoremKeys(ports.sources, config.prover);
  const addSlotKey = (key: string | null): void => {
    if (key !== null) keys.slotKeys.add(key);
  };
  for await (const stated of takeStatements(ports, config, { split: 'held-out', max: null })) {
    signal.throwIfAborted();
    for (const key of heldOutKeysOf(stated)) keys.statementKeys.add(key);
    keys.theoremKeys.add(theoremKeyOf(stated));
    addSlotKey(slotKeyOf(stated));
  }
  if (!config.prover.slots) return keys;
  for await (const stated of takeStatements(ports, config, { split: 'train', max: null })) {
    signal.throwIfAborted();
    addSlotKey(slotKeyOf(stated));
  }
  return keys;
}
