/** Screens `theorem NAME BINDERS : TYPE` and removes the name, so that it can be stated under our name. */

import { STATEMENT_CHARS_MAX } from '@stp/config/records';
import { findRefusedCharacter, proofSigns, type Token } from '@stp/lean-text';
import { columnBehind, keepColumns, readTheoremName } from '../theorem-name.ts';
import { type Refusal, refuse, screenText } from './screen-text.ts';

export type ScreenedStatement =
  | {
      readonly accepted: true;
      readonly name: string;
      /**
       * The namespace that the name opens for statement and proof: `Foo.Bar` for `Foo.Bar.t`; empty if it opens none.
       */
      readonly namespace: string;
      /**
       * The text after the name, printed from its tokens: universe parameters (`.{u}`), then ` BINDERS : TYPE`. Where
       * columns matter, each token keeps its column, whatever name precedes it.
       */
      readonly signature: string;
    }
  | { readonly accepted: false; readonly refusal: Refusal };

const OPENERS = '([{⟨⦃⟦';
const CLOSERS = ')]}⟩⦄⟧';
/** Matches the beginning of a signature that can follow another name. */
const AFTER_NAME = /^(?:[\s:([{⦃]|\.\{)/u;

/**
 * Screens a statement. The keyword and the name are cut off first, so `theorem` anywhere else is a second declaration.
 * Outside brackets, `:=` is allowed only if a `let` or the like in the type requires it (`proof-start.ts`); anywhere
 * else it would begin a proof. There must be a `:` outside brackets, because a theorem without a type states nothing.
 */
export function screenStatement(statement: string, names?: ReadonlySet<string>): ScreenedStatement {
  if (statement.length > STATEMENT_CHARS_MAX) {
    return screenText(statement, STATEMENT_CHARS_MAX, 'no options') as { accepted: false; refusal: Refusal };
  }
  const text = statement.replaceAll('\r\n', '\n');
  const theorem = readTheoremName(text);
  if ('missing' in theorem) {
    const { missing: reason, offset } = theorem;
    return refuse(text, { offset, reason });
  }
  const { opening, name, namespace, end: nameEnd } = theorem;
  const after = text.slice(nameEnd);
  if (!AFTER_NAME.test(after)) {
    return refuse(text, { offset: nameEnd, reason: 'has no white space, bracket or colon after its name' });
  }
  if (findRefusedCharacter(name) >= 0 || name.includes('\n')) {
    return refuse(text, { offset: opening.length, reason: 'has a character in its name that a name never needs' });
  }
  // Lean does not get the name, so it may be quoted.
  const plainName = name.includes('«') ? '_'.repeat([...name].length) : name;
  const screened = screenText(blankOut(opening) + plainName + after, STATEMENT_CHARS_MAX, 'no options', names);
  if (!screened.accepted) return screened;
  const finding = findShape(screened.tokens);
  if (finding !== null) return refuse(text, finding);
  const printed = screened.printed.trimStart().slice(plainName.length).trimEnd();
  return { accepted: true, name, namespace, signature: keepColumns(printed, columnBehind(opening + name)) };
}

function blankOut(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function findShape(tokens: readonly Token[]): { offset: number; reason: string } | null {
  let depth = 0;
  const isProof = proofSigns();
  let hasType = false;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'symbol' && OPENERS.includes(token.text)) depth += 1;
    if (token.kind === 'symbol' && CLOSERS.includes(token.text)) depth -= 1;
    if (depth > 0) continue;
    const next = tokens[index + 1];
    const assigns = token.text === ':' && next?.text === '=' && next.start === token.end;
    if (isProof(assigns ? ':=' : token.text))
      return { offset: token.start, reason: '`:=` would give the theorem a proof' };
    if (token.text === ':' && !assigns) hasType = true;
    else if (token.text === '|' && !hasType)
      return { offset: token.start, reason: '`|` would give the theorem a proof' };
    else if (token.text === 'where') return { offset: token.start, reason: '`where` would give the theorem a proof' };
  }
  return hasType ? null : { offset: tokens.at(-1)!.end, reason: 'has no type' };
}
