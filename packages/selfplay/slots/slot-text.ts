/**
 * Converts Lean text with names to text with slots, and back. Whole identifiers, as Lean's tokens, are replaced; in a
 * dotted name the longest prefix that has a slot (`Stp.app.eq_1` → `Stp.<f0>.eq_1`). The way back restores the text up
 * to white space: a blank expected before a slot is left out and restored, so `a=b` becomes `a= b`.
 */
import { ALL_FUNCTIONS, SLOT_TOKENS } from '@stp/config/words';
import { type Token, tokenize } from '@stp/lean-text';
import { MARKERS } from '../prompts.ts';
import type { SlotTable } from './slot-table.ts';

/** Matches text that would be read as a slot or a marker. */
const RESERVED = new RegExp([...SLOT_TOKENS, ...MARKERS].join('|'), 'u');
const SLOT = new RegExp(SLOT_TOKENS.join('|'), 'gu');
/** A name after one of these is preceded by a blank. */
const BLANK_AFTER = /[\p{L}\p{N}_'₀-₉)\]}⟩⦄»=,:;+*/→∧∨↔<>≤≥≠∣|^%←·]$/u;
/** Tactics whose lists may be all functions. */
const TAKES_ALL: ReadonlySet<string> = new Set(['simp', 'simp_all', 'grind', 'only', 'dsimp']);

/** Null if the text contains a slot or a marker. */
export function toSlots(text: string, table: SlotTable): string | null {
  if (RESERVED.test(text)) return null;
  const all = table.functions.join(', ');
  const tokens = tokenize(text);
  let out = '';
  let from = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.start < from) continue;
    if (all !== '' && listsAll(text, tokens, index, all)) {
      out += text.slice(from, token.end) + ALL_FUNCTIONS;
      from = token.end + all.length;
      continue;
    }
    const written = token.kind === 'word' ? wordToSlots(token.text, table) : null;
    if (written === null) continue;
    const blank = token.start - 1;
    const isExpected =
      written.startsWith('<') && blank >= from && text[blank] === ' ' && wantsBlank(text.slice(0, blank));
    out += text.slice(from, isExpected ? blank : token.start) + written;
    from = token.end;
  }
  return out + text.slice(from);
}

/** Slots that the table lacks are left unchanged. */
export function fromSlots(text: string, table: SlotTable): string {
  let out = '';
  let from = 0;
  for (const match of text.matchAll(SLOT)) {
    out += text.slice(from, match.index);
    const all = match[0] === ALL_FUNCTIONS && table.functions.length > 0 ? table.functions.join(', ') : undefined;
    const name = all ?? table.nameOf.get(match[0]) ?? match[0];
    out += wantsBlank(out) ? ` ${name}` : name;
    from = match.index + match[0].length;
  }
  return out + text.slice(from);
}

/** Does the list that opens here begin with all functions? */
function listsAll(text: string, tokens: readonly Token[], index: number, all: string): boolean {
  const [before, { text: opening, end }] = [tokens[index - 1]?.text ?? '', tokens[index]!];
  return (
    opening === '[' && TAKES_ALL.has(before) && text.startsWith(all, end) && /[,\]]/u.test(text[end + all.length] ?? '')
  );
}

/** Is a blank expected between the text and a name? */
function wantsBlank(before: string): boolean {
  return BLANK_AFTER.test(before.slice(-2));
}

function wordToSlots(word: string, { slotOf, writtenOf }: SlotTable): string | null {
  const parts = word.split('.');
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join('.');
    const rest = parts.slice(length);
    const slot = slotOf.get(name);
    if (slot !== undefined) return [slot, ...constructorToSlot(slot, rest, slotOf)].join('.');
    const written = writtenOf.get(name);
    const shortSlot = written === undefined ? undefined : slotOf.get(written);
    if (shortSlot !== undefined && name.endsWith(`.${written}`))
      return [name.slice(0, -written!.length - 1), shortSlot, ...constructorToSlot(shortSlot, rest, slotOf)].join('.');
  }
  return null;
}

/** Handles constructors such as `node` of `Tree.node`. */
function constructorToSlot(slot: string, rest: string[], slotOf: ReadonlyMap<string, string>): string[] {
  const inner = slot.startsWith('<d') && rest.length > 0 ? slotOf.get(rest[0]!) : undefined;
  return inner?.startsWith('<c') ? [inner, ...rest.slice(1)] : rest;
}
