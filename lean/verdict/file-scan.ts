/**
 * Finds the theorems of a source file, with full names, by its tokens: namespaces, sections and `mutual` are followed, and a
 * theorem is the word `theorem` or `lemma` with a name after it. It cannot know what user syntax makes of the text, so what
 * it finds is asked for by name afterwards, and what is not there under that name is not judged. One pass, whatever the number
 * of theorems: nothing else happens in this process meanwhile.
 */
import { nameParts, type Token, tokenize } from '../screen/tokenizer.ts';

export interface FoundTheorem {
  /** Full name as a source would write it, without `_root_`. */
  readonly name: string;
  readonly isPrivate: boolean;
  /** 1-based line and 0-based column of its keyword, and the last line before the next command. */
  readonly line: number;
  readonly column: number;
  readonly lastLine: number;
}

export interface FileScan {
  /** All tokens of the text. */
  readonly tokens: readonly Token[];
  readonly theorems: readonly FoundTheorem[];
  readonly importLines: readonly string[];
  /** Commands that close what is open at the end of the file. */
  readonly closingLines: readonly string[];
}

/** Keywords at which a theorem's text is over. */
const COMMANDS: ReadonlySet<string> = new Set(
  (
    'theorem lemma def definition abbrev instance example axiom inductive structure class opaque mutual namespace section end ' +
    'variable universe open export attribute deriving set_option private protected noncomputable local scoped macro syntax ' +
    'notation infix infixl infixr prefix postfix alias include omit nonrec'
  ).split(' '),
);
const MODIFIERS: ReadonlySet<string> = new Set([
  'private',
  'protected',
  'noncomputable',
  'nonrec',
  'partial',
  'public',
]);

type Scope = { readonly kind: 'namespace' | 'section' | 'mutual'; readonly name: string };

export function scanFile(text: string): FileScan {
  const all = tokenize(text);
  const tokens = all.filter((token) => token.kind !== 'comment');
  const scopes: Scope[] = [];
  const theorems: FoundTheorem[] = [];
  const positionOf = positions(text);
  const nextCommand = commandsAfter(text, tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'word' || isFieldName(tokens, index)) continue;
    const next = tokens[index + 1];
    const named = next?.kind === 'word' && !COMMANDS.has(next.text) ? next.text : '';
    if (token.text === 'namespace' && named !== '') scopes.push({ kind: 'namespace', name: named });
    else if (token.text === 'section') {
      const sameLine = named !== '' && !text.slice(token.end, next!.start).includes('\n');
      scopes.push({ kind: 'section', name: sameLine ? named : '' });
    } else if (token.text === 'mutual') scopes.push({ kind: 'mutual', name: '' });
    else if (token.text === 'end') scopes.pop();
    else if ((token.text === 'theorem' || token.text === 'lemma') && named !== '') {
      // The command after its name; the last one reaches to the end of the text.
      const after = nextCommand(index + 1);
      const end = after === null ? text.length : after.start;
      const lastLine = positionOf(end).line - (after === null ? 0 : 1);
      theorems.push({ ...found(tokens, index, named, scopes), ...positionOf(token.start), lastLine });
    }
  }
  return { tokens: all, theorems, importLines: imports(tokens), closingLines: scopes.toReversed().map(closing) };
}

/** `.end` or `foo := …` fields written after a dot are no keywords here. */
function isFieldName(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return before?.text === '.' && before.end === tokens[index]!.start;
}

function found(
  tokens: readonly Token[],
  index: number,
  named: string,
  scopes: readonly Scope[],
): Pick<FoundTheorem, 'name' | 'isPrivate'> {
  const rooted = nameParts(named)[0] === '_root_';
  const namespaces = scopes.filter((scope) => scope.kind === 'namespace').map((scope) => scope.name);
  const name = rooted ? named.slice('_root_.'.length) : [...namespaces, named].join('.');
  let isPrivate = false;
  for (let at = index - 1; at >= 0 && MODIFIERS.has(tokens[at]!.text); at -= 1)
    isPrivate ||= tokens[at]!.text === 'private';
  return { name, isPrivate };
}

/** The first token behind an index at which a command starts, or null; to be asked with indexes that ascend. */
function commandsAfter(text: string, tokens: readonly Token[]): (index: number) => Token | null {
  let at = 0;
  return (index) => {
    at = Math.max(at, index + 1);
    while (at < tokens.length && !startsCommand(text, tokens[at]!)) at += 1;
    return tokens[at] ?? null;
  };
}

/** Lines (1-based) and columns (0-based, code points) of offsets. */
function positions(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: [...text.slice(starts[low]!, offset)].length };
  };
}

function startsCommand(text: string, token: Token): boolean {
  const atLineStart = token.start === 0 || text[token.start - 1] === '\n';
  return (
    (token.kind === 'word' && COMMANDS.has(token.text) && atLineStart) || (atLineStart && '#@'.includes(token.text))
  );
}

function imports(tokens: readonly Token[]): string[] {
  const lines: string[] = [];
  for (let index = 0; tokens[index]?.text === 'import' && tokens[index + 1]?.kind === 'word'; index += 2) {
    lines.push(`import ${tokens[index + 1]!.text}`);
  }
  return lines;
}

function closing(scope: Scope): string {
  return scope.name === '' ? 'end' : `end ${scope.name}`;
}
