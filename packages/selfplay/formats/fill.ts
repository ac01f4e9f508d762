/**
 * Fills a template of a prompt format. Values are put in as they are: braces within them name nothing.
 *
 * `header`: imports and opens as they stand above the statement; `spacedHeader`: with a blank line wherever imports, options
 * and opens follow each other. `statement`: `theorem NAME BINDERS : TYPE`; `shownStatement`: without the name, on one line;
 * `namedStatement`: without the keyword. `comment`: the informal problem as a doc comment with a line end, or nothing;
 * `problem`: the informal problem, or the statement where there is none. `proof`: at column 0; `indentedProof`: at column 2.
 */
import { StpError } from '@stp/base';

const NAME = /\{([A-Za-z]+)\}/gu;

/** Throws STP1001 for a name that `values` lacks. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(NAME, (_, name: string) => values[name] ?? unknownName(name, Object.keys(values)));
}

function unknownName(name: string, known: readonly string[]): never {
  throw new StpError(
    'STP1001',
    `prompt format: a template contains {${name}}`,
    `Names of this template: ${known.map((one) => `{${one}}`).join(' ')}.`,
  );
}
