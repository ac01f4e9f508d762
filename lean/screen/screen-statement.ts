/** Screens `theorem NAME BINDERS : TYPE` and takes the name off it, so that it can be stated under a name of ours. */
import { STATEMENT_CHARS_MAX } from '../../data/schemas/records.ts';
import { type Refusal, refuse, screenText } from './screen-text.ts';
import type { Token } from './tokenizer.ts';

export type ScreenedStatement =
  | {
      readonly accepted: true;
      readonly name: string;
      /** Everything after the name: ` BINDERS : TYPE`, universe parameters (`.{u}`) first where there are any. */
      readonly signature: string;
    }
  | { readonly accepted: false; readonly refusal: Refusal };

const OPENERS = '([{⟨⦃⟦';
const CLOSERS = ')]}⟩⦄⟧';

/**
 * The keyword and the name are cut off before the rest is screened, so `theorem` anywhere else is a second declaration.
 * Outside brackets `:=` may stand only where a `let` or `have` of the type asks for one: anywhere else it would give the
 * theorem a proof of its own. There must be a `:` outside brackets: a theorem without a type states nothing.
 */
export function screenStatement(statement: string): ScreenedStatement {
  if (statement.length > STATEMENT_CHARS_MAX) {
    return screenText(statement, STATEMENT_CHARS_MAX) as { accepted: false; refusal: Refusal };
  }
  const text = statement.replaceAll('\r\n', '\n');
  const opening = /^\s*(?:theorem|lemma)\s+/u.exec(text)?.[0];
  if (opening === undefined) return refuse(text, { offset: 0, reason: 'does not start with `theorem NAME`' });
  const blanked = ' '.repeat(opening.length) + text.slice(opening.length);
  const screened = screenText(blanked, STATEMENT_CHARS_MAX);
  if (!screened.accepted) return screened;
  const tokens = screened.tokens.filter((token) => token.kind !== 'comment');
  const name = tokens[0];
  if (name?.kind !== 'word' || name.start !== opening.length) {
    return refuse(text, { offset: opening.length, reason: 'has no name after `theorem`' });
  }
  const finding = findShape(tokens);
  if (finding !== null) return refuse(text, finding);
  return { accepted: true, name: name.text, signature: text.slice(name.end) };
}

function findShape(tokens: readonly Token[]): { offset: number; reason: string } | null {
  let depth = 0;
  let bindings = 0;
  let hasType = false;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'symbol' && OPENERS.includes(token.text)) depth += 1;
    if (token.kind === 'symbol' && CLOSERS.includes(token.text)) depth -= 1;
    if (depth > 0) continue;
    if (token.text === 'let' || token.text === 'have') bindings += 1;
    const next = tokens[index + 1];
    const assigns = token.text === ':' && next?.text === '=' && next.start === token.end;
    if (assigns && bindings === 0) return { offset: token.start, reason: '`:=` would give the theorem a proof' };
    if (assigns) bindings -= 1;
    else if (token.text === ':') hasType = true;
    else if (token.text === '|' && !hasType)
      return { offset: token.start, reason: '`|` would give the theorem a proof' };
    else if (token.text === 'where') return { offset: token.start, reason: '`where` would give the theorem a proof' };
  }
  return hasType ? null : { offset: tokens.at(-1)!.end, reason: 'has no type' };
}
