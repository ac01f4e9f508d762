/**
 * When two statements are the same to a prover that meets names as slots: equal once the names of variables and definitions
 * are gone, definitions compared by their types alone. Coarser than `statementKey`: `plus` and `times` commute alike. It is
 * for keeping apart what is trained on from what is measured, where too much is the right side to err on.
 */
import { contentId } from '../../data/schemas/ids.ts';
import type { ShownDefinition } from '../../data/schemas/shown-definition.ts';
import { canonicalText } from '../canonical-text.ts';
import { statementKey } from '../dedupe.ts';
import { displayStatement } from '../prompts.ts';
import { signatureLines } from './definition-text.ts';
import { slotTable } from './slot-table.ts';
import { fromSlots, toSlots } from './slot-text.ts';

/** @param definitions that the statement stands on */
export function slotKey(statement: string, definitions: readonly ShownDefinition[]): string {
  const table = slotTable('', definitions);
  const written = toSlots(displayStatement(statement), table);
  if (written === null) return statementKey(null, statement);
  // Names that no one writes, so that what reads terms reads names.
  const nameless = [...table.nameOf.keys()].map((slot): [string, string] => [slot, `slot_${slot.slice(1, -1)}`]);
  const text = fromSlots(written, { ...table, nameOf: new Map(nameless) });
  return contentId('slot key', signatureLines(definitions).join('\n'), canonicalText(`theorem t ${text}`));
}
