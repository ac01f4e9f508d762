/** Fills a template of a prompt format. Values are put in as they are: braces within them name nothing. */
import { StpError } from '@stp/base';
import type { PromptFormat } from '@stp/config';

const NAME = /\{([A-Za-z]+)\}/gu;

/** Throws STP1001 for a name that `values` does not have. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(NAME, (_, name: string) => values[name] ?? unknownName(name, Object.keys(values)));
}

const HEADERS = ['header', 'spacedHeader'];
const STATED = [...HEADERS, 'name', 'comment', 'problem', 'statement', 'shownStatement'];
const SEED = [
  ...HEADERS,
  'lemmaStatement',
  'shownLemma',
  'easyStatement',
  'shownEasy',
  'easyProof',
  'indentedEasyProof',
];

/**
 * The names of each template.
 *
 * `header`: imports and opens as they stand above the statement; `spacedHeader`: with a blank line wherever imports, options
 * and opens follow each other. `statement`: `theorem NAME BINDERS : TYPE`; `shownStatement`: without the name, on one line;
 * `namedStatement`: without the keyword. `comment`: the informal problem as a doc comment with a line end, or nothing;
 * `problem`: the informal problem, or the statement where there is none. `proof`: at column 0; `indentedProof`: at column 2.
 */
const NAMES = {
  'prover.prompt': STATED,
  'prover.target': [...STATED, 'proof', 'indentedProof'],
  'conjecturer.prompt': SEED,
  'conjecturer.targetPrompt': [...HEADERS, 'targetStatement', 'shownTarget'],
  'conjecturer.target': ['statement', 'shownStatement', 'namedStatement'],
  'revision.prompt': ['round', 'errors'],
  'revision.error': ['number', 'line', 'column', 'code', 'message'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Throws STP1001 where a template of the format has a name that it cannot have. */
export function checkTemplates(format: PromptFormat): void {
  const { prover, conjecturer, revision } = format;
  const templates: Record<keyof typeof NAMES, string> = {
    'prover.prompt': prover.prompt,
    'prover.target': prover.target,
    'conjecturer.prompt': conjecturer.prompt,
    'conjecturer.targetPrompt': conjecturer.targetPrompt,
    'conjecturer.target': conjecturer.target,
    'revision.prompt': revision?.prompt ?? '',
    'revision.error': revision?.error ?? '',
  };
  for (const [template, names] of Object.entries(NAMES) as [keyof typeof NAMES, readonly string[]][])
    for (const [, name] of templates[template].matchAll(NAME))
      if (!names.includes(name!)) unknownName(name!, names, `${format.name}: ${template} `);
}

function unknownName(name: string, known: readonly string[], where = ''): never {
  throw new StpError(
    'STP1001',
    `prompt format: ${where}contains {${name}}`,
    `Names of this template: ${known.map((one) => `{${one}}`).join(' ')}.`,
  );
}
