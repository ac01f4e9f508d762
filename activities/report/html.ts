/** Small pieces of HTML. All external text passes through `escapeHtml`. */

/** Characters that XML 1.0 cannot represent; a model's text may contain them. */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_IN_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Text up to this length stays on one line in a table. */
const NOWRAP_CHARS_MAX = 40;

/** Matches a number, optionally with its unit or its share, or an empty cell. */
const AMOUNT = /^(?:–|[\d.\u202f]+(?: (?:s|min|h|%))?(?: \([\d.]+ %\))?)?$/;

/** Makes a table whose first column contains row headings. Numeric columns are right-aligned. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[], caption = ''): string {
  const isNumeric = heads.map(
    (_, column) =>
      column > 0 && rows.every((row) => typeof row[column] === 'number' || AMOUNT.test(String(row[column]))),
  );
  const isLong = heads.map((_, column) => rows.some((row) => String(row[column]).length > NOWRAP_CHARS_MAX));
  const cell = (kind: 'th scope="col"' | 'td', text: string, column: number): string =>
    `<${kind}${isNumeric[column] ? ' class="number"' : isLong[column] ? ' class="long"' : ''}>${escapeHtml(text)}</${kind.slice(0, 2)}>`;
  const head = heads.map((text, column) => cell('th scope="col"', text, column)).join('');
  const body = rows.map((row) => {
    const [first, ...others] = row.map((value) => (typeof value === 'number' ? formatNumber(value) : value));
    return `<tr><th scope="row">${escapeHtml(first!)}</th>${others.map((text, index) => cell('td', text, index + 1)).join('')}</tr>`;
  });
  const title = caption === '' ? '' : note(caption);
  return `${title}<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption || heads.join(', '))}"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

export const note = (text: string): string => `<p class="note">${escapeHtml(text)}</p>`;

export function section(id: string, title: string, ...content: readonly string[]): string {
  return `<section id="${id}"><h2>${escapeHtml(title)}</h2>\n${content.join('\n')}\n</section>`;
}

/** Separates thousands; small numbers have at most two decimals. */
export function formatNumber(value: number): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, '\u202f');
}

export const formatShare = (count: number, of: number): string =>
  of === 0 ? '–' : `${((100 * count) / of).toFixed(1)} %`;

/** Formats seconds for people. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(seconds < 600 ? 1 : 0)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
