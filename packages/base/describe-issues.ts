/**
 * Describes in one line how a value violates a schema. Only this file converts a ZodError to text: a foreign file can
 * have a hundred thousand faults, of which a person reads a few.
 */
import type { z } from 'zod';

const KINDS_MAX = 8;
const KIND_CHARS_MAX = 200;

/** Returns `path: what is wrong` for the first kinds of faults. Equal faults of a list's items are counted together. */
export function describeIssues(error: Pick<z.ZodError, 'issues'>, root = 'value'): string {
  const kinds = new Map<string, number>();
  for (const { path, message } of error.issues) {
    const steps = path.map((step) => (typeof step === 'number' ? '*' : String(step)));
    const kind = `${steps.join('.') || root}: ${message}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  // A single fault is reported with its exact path.
  const single = error.issues.length === 1 ? error.issues[0]! : null;
  if (single !== null) return cut(`${single.path.map(String).join('.') || root}: ${single.message}`);
  const shown = [...kinds]
    .slice(0, KINDS_MAX)
    .map(([kind, count]) => `${cut(kind)}${count > 1 ? ` (${count} times)` : ''}`);
  const left = kinds.size - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

/** Lists the first names or values for a message, and the number of the others. */
export function listed(names: readonly string[], most = 10): string {
  const shown = names.slice(0, most).map(cut).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

function cut(text: string): string {
  const line = text.replace(/\s+/gu, ' ');
  return line.length > KIND_CHARS_MAX ? `${line.slice(0, KIND_CHARS_MAX - 1)}…` : line;
}
