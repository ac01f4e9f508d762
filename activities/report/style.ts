/** Style sheet of the report. Colours are variables, so that pictures follow the reader's light or dark setting too. */

/**
 * Colours of the categories in order. They differ in hue and in lightness; each has a contrast ≥ 3:1 to its background
 * (WCAG 1.4.11).
 */
const LIGHT = [
  '#2667c4',
  '#b8620d',
  '#21824f',
  '#9b3f96',
  '#c0392b',
  '#6b737c',
  '#0a7d85',
  '#8a6d0c',
  '#4b55c4',
  '#7a4a2b',
];
const DARK = [
  '#6ba3ec',
  '#e59a4b',
  '#58bb86',
  '#d184cb',
  '#ee8277',
  '#9aa5b1',
  '#4fc0c7',
  '#cdb04c',
  '#9aa2f2',
  '#c99a7c',
];

const variables = (colours: readonly string[]): string =>
  colours.map((colour, index) => `--c${index}: ${colour};`).join(' ');

/** The colours of pages and of standalone pictures. */
export const COLOUR_RULES = `
:root { --ink: #1d2329; --muted: #56606b; --rule: #dfe3e8; --accent: #2667c4; --page: #ffffff; --card: #f6f7f9; ${variables(LIGHT)} }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebef; --muted: #a5afba; --rule: #343b44; --accent: #6ba3ec; --page: #14181d; --card: #1c2229; ${variables(DARK)} } }
`;

export const STYLE = `${COLOUR_RULES}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 70rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; } h3 { font-size: 1rem; margin: 1.75rem 0 .25rem; } figure h3 { margin: 0 0 .5rem; }
a { color: var(--accent); } p { max-width: 48rem; }
.note, figcaption { color: var(--muted); font-size: .875rem; margin: .25rem 0 .75rem; }
nav { font-size: .875rem; margin: .75rem 0 0; } nav a { margin-right: .9rem; white-space: nowrap; display: inline-block; }
.headline { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
.headline div { background: var(--card); border-radius: .5rem; padding: .75rem 1rem; }
.headline strong { display: block; font-size: 1.45rem; line-height: 1.25; } .headline span { color: var(--muted); font-size: .85rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1rem; margin: .75rem 0; }
figure { margin: 0; background: var(--card); border-radius: .5rem; padding: .9rem; min-width: 0; display: flex; flex-direction: column; }
figure svg { display: block; width: 100%; max-width: 34rem; height: auto; margin: auto; } figcaption { margin: .6rem 0 0; } figcaption a { white-space: nowrap; }
.scroll { overflow-x: auto; margin: .5rem 0; } table { border-collapse: collapse; min-width: 60%; font-size: .875rem; }
th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th:first-child { padding-left: 0; } th { font-weight: 600; } thead th { color: var(--muted); } .number { text-align: right; } td { font-variant-numeric: tabular-nums; white-space: nowrap; } td.long { white-space: normal; min-width: 16rem; } tbody th { white-space: nowrap; }
article details { margin: -.5rem 0 .75rem; }
article { min-width: 0; border-top: 1px solid var(--rule); padding: .75rem 0 .25rem; } article h4 { margin: 0; font-size: .95rem; font-weight: 600; }
pre { background: var(--card); border-radius: .5rem; padding: .7rem .9rem; margin: .4rem 0 .4rem; white-space: pre-wrap; }
code { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
.theorems { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); column-gap: 1.25rem; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--accent); font-size: .9rem; }
@media (max-width: 30rem) { body { padding: 1rem .7rem 3rem; } figure { padding: .6rem; } .headline { grid-template-columns: 1fr 1fr; gap: .5rem; } .headline div { padding: .6rem .7rem; } .headline strong { font-size: 1.2rem; } }
@media print { body { max-width: none; } figure, article { break-inside: avoid; } }
`;
