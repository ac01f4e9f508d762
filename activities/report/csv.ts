/** Writes tables as CSV (RFC 4180): the data of each plot. */

export type Cell = string | number | null;

/** @param rows each as wide as `columns`; null is an empty cell */
export function csv(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  const text = value === null ? '' : String(value);
  // A spreadsheet runs text that begins like a formula, and the name of a run or a message may.
  const safe = typeof value === 'string' && /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
