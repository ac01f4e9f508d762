/**
 * The form in which a conjecturer with slots writes equations over the functions near a statement: definitions and statement as a
 * prover sees them, then a sequence of tokens under a grammar by type. Words of an equation (`data/schemas/equation-words.ts`) and tokens are
 * two ways to write one thing.
 */
import { EQUALS, IMPLIES, type TermSignature, variableWord } from '../data/schemas/equation-words.ts';
import type { ShownDefinition } from '../data/schemas/shown-definition.ts';
import { type SlotRole, slotToken } from '../data/schemas/slot-tokens.ts';
import type { GrammarSymbol, TypedGrammar } from '../data/schemas/typed-grammar.ts';
import { displayStatement } from './prompts.ts';
import { readSignature } from './signature.ts';
import { slottedText } from './slots/prover-form.ts';

export interface TypedForm {
  readonly prompt: string;
  readonly grammar: TypedGrammar;
  /** The words of what was sampled; null where a token is none of the grammar. */
  read(text: string): string[] | null;
  /** Null where a word has no token. */
  write(words: readonly string[]): string | null;
}

/** Constructors that every model knows, one character each. Others have the slots that the prompt shows. */
const CORE_CONSTRUCTORS: ReadonlyMap<string, string> = new Map([
  ['Nat.zero', '0'],
  ['Nat.succ', '+'],
  ['List.nil', '['],
  ['List.cons', ':'],
  ['Bool.true', 'T'],
  ['Bool.false', 'F'],
  ['Option.none', '?'],
  ['Option.some', '!'],
  ['Prod.mk', ','],
]);
const ROLES: Readonly<Record<string, SlotRole>> = { Nat: 'n', Int: 'n', List: 's', '→': 'g' };
/**
 * Tokens of the longest equation, the end included: enough for `len (filter p (append xs ys))` to be the sum of two such lengths. With
 * more a model that has learnt little writes long repetitions.
 */
const TOKENS_MAX = 16;
const TOKEN = /<[a-z]\d+>|./gsu;

/**
 * Null where nothing can be written: no function has a slot.
 *
 * @param definitions that the statement stands on, nearest first
 * @param definitionTokens about how many tokens of a prompt they may take
 */
export function typedForm(
  statement: string,
  signature: TermSignature,
  definitions: readonly ShownDefinition[],
  definitionTokens: number,
): TypedForm | null {
  const binders = readSignature(statement)?.binders ?? [];
  const given = { marker: '<hard>', text: displayStatement(statement), binders, end: '<easy>' };
  const shown = slottedText(given, definitions, definitionTokens);
  if (shown === null) return null;
  const { prompt, table } = shown;
  const writtenOf = new Map(definitions.map(({ name, written }) => [name, written]));
  const symbolToken = (name: string, isConstructor: boolean): string | undefined =>
    isConstructor
      ? (CORE_CONSTRUCTORS.get(name) ?? table.slotOf.get(name.slice(name.lastIndexOf('.') + 1)))
      : table.slotOf.get(writtenOf.get(name) ?? '');
  const tokenOf = new Map([EQUALS, IMPLIES].map((sign) => [sign, sign]));
  const wordOf = new Map<string, string>();
  const symbols: GrammarSymbol[] = [];
  for (const { name, arguments: its, result, isConstructor } of signature.symbols) {
    const token = symbolToken(name, isConstructor);
    if (token === undefined || (wordOf.get(token) ?? name) !== name) continue;
    wordOf.set(token, name);
    tokenOf.set(name, token);
    symbols.push({ token, arguments: its, result, kind: isConstructor ? 'constructor' : 'function' });
  }
  const taken = new Map<SlotRole, number>();
  for (const [type, { head, variables }] of signature.types.entries())
    for (let index = 0; index < variables; index++) {
      const role = ROLES[head] ?? 'x';
      const token = slotToken(role, taken.get(role) ?? 0);
      if (token === null) break;
      taken.set(role, (taken.get(role) ?? 0) + 1);
      const word = variableWord(type, index);
      wordOf.set(token, word);
      tokenOf.set(word, token);
      symbols.push({ token, arguments: [], result: type, kind: 'variable' });
    }
  for (const [word, token] of tokenOf) wordOf.set(token, word);
  if (!symbols.some(({ kind }) => kind === 'function')) return null;
  const boolean = signature.types.findIndex(({ head }) => head === 'Bool');
  return {
    prompt,
    grammar: { symbols, conditionType: boolean < 0 ? null : boolean, tokensMax: TOKENS_MAX },
    read(text) {
      const words = (text.match(TOKEN) ?? []).map((token) => wordOf.get(token));
      return words.every((word) => word !== undefined) ? words : null;
    },
    write(words) {
      const tokens = words.map((word) => tokenOf.get(word));
      return tokens.every((token) => token !== undefined) ? tokens.join('') : null;
    },
  };
}
