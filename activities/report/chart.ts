/**
 * Renders Vega-Lite as SVG inside the page. Colours are variables of its style sheet, so one picture serves light and
 * dark.
 */
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { escapeHtml } from './html.ts';

/** Number of colours for categories. The style sheet gives each a value for light and one for dark. */
export const CATEGORY_COUNT = 10;

/** Placeholder colours that the renderer accepts; they are replaced afterwards. */
const INK = '#010101';
const MUTED = '#020202';
const RULE = '#030303';
const ACCENT = '#040404';
const category = (index: number): string => `#0c01${String(index).padStart(2, '0')}`;
export const COLOURS = { ink: INK, muted: MUTED, accent: ACCENT } as const;
export const CATEGORIES: readonly string[] = Array.from({ length: CATEGORY_COUNT }, (_, index) => category(index));

const VARIABLES: readonly (readonly [string, string])[] = [
  [INK, 'var(--ink)'],
  [MUTED, 'var(--muted)'],
  [RULE, 'var(--rule)'],
  [ACCENT, 'var(--accent)'],
  ...CATEGORIES.map((colour, index) => [colour, `var(--c${index})`] as const),
];

/**
 * Mean width of a letter over its height in the wider of the usual system fonts. The reader's font is unknown, and
 * Vega's estimate (0.8) makes labels short and legends wide.
 */
const LETTER_WIDTH = 0.64;
// Vega allows replacing this function, but its types lack it.
const { textMetrics } = vega as unknown as { textMetrics: { width: unknown } };
textMetrics.width = (item: { fontSize?: number }, text: unknown): number =>
  LETTER_WIDTH * String(text).length * (item.fontSize ?? 11);

/** Width of the plotting area, pixels. A picture with axes is about 400 wide and reads well on a phone. */
export const WIDTH = 330;
const HEIGHT = 200;

const text = { labelColor: MUTED, titleColor: MUTED, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal' };
const CONFIG = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  aria: false,
  view: { stroke: 'transparent' },
  axis: { ...text, gridColor: RULE, domainColor: RULE, tickColor: RULE, labelLimit: 150, titlePadding: 10 },
  header: { ...text, labelLimit: 200 },
  legend: { ...text, orient: 'top', direction: 'horizontal', columns: 3, symbolStrokeWidth: 2, labelLimit: 330 },
  range: { category: CATEGORIES },
} as const;

/**
 * @param spec Vega-Lite without config; size and schema only where they differ from the defaults
 * @param title description of the picture for people who cannot see it
 */
export async function renderChart(spec: object, title: string): Promise<string> {
  const complete = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: WIDTH,
    height: HEIGHT,
    config: CONFIG,
    ...spec,
  };
  const view = new vega.View(vega.parse(compile(complete as unknown as TopLevelSpec).spec as vega.Spec), {
    renderer: 'none',
  });
  try {
    const svg = await view.toSVG();
    return VARIABLES.reduce((themed, [from, to]) => themed.replaceAll(from, to), svg)
      .replace(/ xmlns(:xlink)?="[^"]*"/g, '')
      .replace(/<svg /, '<svg role="img" ')
      .replace(/<svg [^>]*>/, (opening) => `${opening}<title>${escapeHtml(title)}</title>`);
  } finally {
    view.finalize();
  }
}
