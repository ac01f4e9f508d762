/** Small pieces of HTML. Everything that is not written here passes `escapeHtml`. */

/** Characters that XML 1.0 cannot hold at all; a model's text may have them. */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_IN_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** A table whose first column heads its rows. Cells are text; numbers stand right. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[], caption = ''): string {
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const body = rows.map((row) => {
    const cells = row.map((value, index) => {
      const text = escapeHtml(typeof value === 'number' ? formatNumber(value) : value);
      if (index === 0) return `<th scope="row">${text}</th>`;
      return typeof value === 'number' ? `<td class="number">${text}</td>` : `<td>${text}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const title = caption === '' ? '' : `<caption>${escapeHtml(caption)}</caption>`;
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption || heads.join(', '))}"><table>${title}<thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

export const note = (text: string): string => `<p class="note">${escapeHtml(text)}</p>`;

export function section(id: string, title: string, ...content: readonly string[]): string {
  return `<section id="${id}"><h2>${escapeHtml(title)}</h2>\n${content.join('\n')}\n</section>`;
}

/** Thousands apart, at most two decimals for small numbers. */
export function formatNumber(value: number): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, '\u202f');
}

export const formatShare = (count: number, of: number): string =>
  of === 0 ? '–' : `${((100 * count) / of).toFixed(1)} %`;

/** Seconds as a person says them. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
