/**
 * Judges examples of a file. Lean elaborates an `example` and forgets it, so a compiled module contains none. In a copy
 * of the text, which is compiled in addition, each example becomes a definition under a name of ours, whose constant
 * shows the example's dependencies. Lean elaborates both in the same way (implicit names, section variables, recursion,
 * compiled code). The copy decides about examples only.
 */
import type { ModuleReport } from '@stp/lean-kernel';
import { nameParts, positionAt, type Token } from '@stp/lean-text';
import type { TheoremFinding } from './findings.ts';
import { firstModifier } from './modifiers.ts';

/** The name under which an example is reported. */
export const EXAMPLE = 'example';

export interface NamedExample {
  /** First component of the name of its constant in the copy. */
  readonly name: string;
  /** Position of the word `example`: 1-based line, 0-based column. */
  readonly line: number;
  readonly column: number;
}

export interface NamedExamples {
  /** The copy. Everything except the word `example` keeps its column. Each example adds a line. */
  readonly text: string;
  readonly examples: readonly NamedExample[];
}

/** Matches words that every Lean version reads as one word. */
const PLAIN = /^(?:[\w.!?']|«[^»\n]*»)+$/;

/**
 * Makes the copy. `allTokens` are those of the text, including comments; no text can guess `nonce`. If an example could
 * be hidden in the text, returns where instead.
 */
export function nameExamples(
  text: string,
  allTokens: readonly Token[],
  nonce: string,
): NamedExamples | { readonly hidden: string } {
  const tokens = allTokens.filter(({ kind }) => kind !== 'comment');
  const examples: NamedExample[] = [];
  let copy = '';
  let end = 0;
  for (const [index, token] of tokens.entries()) {
    const at = (): string => {
      const { line, column } = positionAt(text, token.start);
      return `${line}:${column}`;
    };
    // A Lean that does not accept a character of the word would read the keyword.
    if (token.kind === 'word' && token.text.includes(EXAMPLE) && !PLAIN.test(token.text))
      return { hidden: `${at()}: ${token.text.slice(0, 40)} could be an example to Lean` };
    if (looksInto(tokens, index))
      return { hidden: `${at()}: what Lean makes for an example has another name in the copy` };
    if (token.text !== EXAMPLE) continue;
    if (hasAttributes(tokens, index)) return { hidden: `${at()}: an example with attributes cannot be judged` };
    const name = `_stp${nonce}Example${examples.length}`;
    examples.push({ name, ...positionAt(text, token.start) });
    const blanks = ' '.repeat(EXAMPLE.length);
    copy += `${text.slice(end, token.start)}def _root_.${name}._example\n${' '.repeat(columnOf(text, token.start))}${blanks}`;
    end = token.end;
  }
  return { text: copy + text.slice(end), examples };
}

/**
 * Whether a word refers to what Lean makes for an example, such as `_example.match_1`. An example may call itself, as
 * `_example`.
 */
function looksInto(tokens: readonly Token[], index: number): boolean {
  const { kind, text } = tokens[index]!;
  const parts = kind === 'word' ? nameParts(text) : [];
  if (!parts.includes('_example')) return false;
  let before = index - 1;
  while (tokens[before]?.kind === 'word' && tokens[before]!.text !== 'open') before -= 1;
  return parts.length > 1 || tokens[before]?.text === 'open';
}

const columnOf = (text: string, offset: number): number => positionAt(text, offset).column;

/** An attribute would apply to the copy's definition, and could affect the text below it. */
const hasAttributes = (tokens: readonly Token[], index: number): boolean =>
  tokens[firstModifier(tokens, index)]!.text === '@';

/**
 * Returns the constants of a copy without its examples' constants, by name, and the examples' own constants in order.
 */
export function splitCopy(copy: ModuleReport, examples: readonly NamedExample[]) {
  const at = new Map(examples.map(({ name }, index) => [name, index]));
  const ownerOf = (name: string): number | undefined => at.get(nameParts(name)[0]!);
  const constants = copy.constants.filter(({ name }) => ownerOf(name) === undefined);
  const own = examples.map(({ name }) => copy.constants.find((constant) => constant.name === `${name}._example`));
  const parts = examples.map((_, index) => copy.constants.filter(({ name }) => ownerOf(name) === index));
  return { constants, own, parts };
}

/** Sorts findings by position. */
export function inOrder(findings: readonly TheoremFinding[]): TheoremFinding[] {
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
}
