/**
 * The forms in which a conjecturer writes equations over the functions near a statement, under a grammar by type. With
 * slots: one token each, after definitions and statement as a prover sees them. With real names: bracketed terms, for
 * models that answer a question. The words of an equation (`packages/config/schemas/equation-words.ts`) and the model's
 * text are two notations for one equation.
 */
import type { GrammarSymbol, ShownDefinition, TypedGrammar } from '@stp/config/records';
import { EQUALS, IMPLIES, type SlotRole, slotToken, type TermSignature, variableWord } from '@stp/config/words';
import type { Prompt } from './formats/formatted.ts';
import { displayStatement } from './prompts.ts';
import { slottedText } from './slots/prover-form.ts';
import { readSignature } from './statement-signature.ts';

export interface TypedForm extends Prompt {
  readonly grammar: TypedGrammar;
  /** Returns the words of a sampled text; null if the grammar lacks a token. */
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
 * Tokens of the longest equation, including its end: enough for `len (filter p (append xs ys))` to be the sum of two
 * such lengths. With more, a little-trained model writes long repetitions.
 */
const TOKENS_MAX = 16;
const SLOTTED_TOKEN = /<[a-z]\d+>|./gsu;
const NAMED_TOKEN = /[^\s()]+/gu;

/**
 * Makes the form of equations with slots. Null if no function has a slot.
 *
 * @param definitions definitions that the statement depends on, nearest first
 * @param definitionTokens approximate limit on their tokens in a prompt
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
  const writtenOf = writtenNames(definitions);
  const vocabulary = new Vocabulary(signature, {
    symbol: ({ name, isConstructor }) =>
      isConstructor
        ? (CORE_CONSTRUCTORS.get(name) ?? table.slotOf.get(name.slice(name.lastIndexOf('.') + 1)))
        : table.slotOf.get(writtenOf.get(name) ?? ''),
    variable: (role, index) => slotToken(role, index) ?? undefined,
    implies: IMPLIES,
  });
  if (!vocabulary.hasFunctions) return null;
  const { grammar } = vocabulary;
  return {
    prompt,
    grammar,
    read: (text) => vocabulary.words(text.match(SLOTTED_TOKEN) ?? []),
    write: (words) => vocabulary.tokens(words)?.join('') ?? null,
  };
}

/**
 * Makes the form of equations with real names: `rev (append s1 s2) = append (rev s2) (rev s1)`, and `leq n1 n2 =
 * Bool.true → …` under a condition. Null if there is no function.
 *
 * @param definitions definitions that the statement depends on, nearest first
 * @param ask makes a question a prompt of the model's family
 */
export function namedTypedForm(
  statement: string,
  signature: TermSignature,
  definitions: readonly ShownDefinition[],
  ask: (question: string) => Prompt,
): TypedForm | null {
  const writtenOf = writtenNames(definitions);
  const names = new Set(signature.symbols.map(({ name }) => writtenOf.get(name) ?? name));
  const vocabulary = new Vocabulary(signature, {
    symbol: ({ name }) => {
      const written = writtenOf.get(name) ?? name;
      return written.length > NAME_CHARS_MAX || /[\s()]/u.test(written) ? undefined : written;
    },
    variable: (role, index) => (names.has(`${role}${index + 1}`) ? undefined : `${role}${index + 1}`),
    implies: ARROW,
  });
  if (!vocabulary.hasFunctions) return null;
  const { grammar } = vocabulary;
  return {
    ...ask(question(statement, definitions, grammar.symbols)),
    grammar,
    read: (text) => vocabulary.words(text.match(NAMED_TOKEN) ?? []),
    write: (words) => vocabulary.text(words),
  };
}

const NAME_CHARS_MAX = 64;
const ARROW = '→';

function question(
  statement: string,
  definitions: readonly ShownDefinition[],
  symbols: readonly GrammarSymbol[],
): string {
  const defined = definitions.flatMap(({ written, signature, equations }) => [
    `${written} ${signature}`,
    ...equations.map((equation) => `  | ${equation}`),
  ]);
  const of = (isWanted: (symbol: GrammarSymbol) => boolean): string => {
    const tokens = symbols.filter(isWanted).map(({ token }) => token);
    return [...new Set(tokens)].join(', ');
  };
  return [
    'Definitions:',
    ...defined,
    '',
    'A theorem that is not proved yet:',
    statement,
    '',
    'Write one equation that holds for all values, is simpler than the theorem, and helps to prove it. It may stand behind a condition.',
    `Functions and constructors: ${of(({ kind }) => kind !== 'variable')}. Variables: ${of(({ kind }) => kind === 'variable')}.`,
    'Answer with the equation alone, such as `f (g x1) = g (f x1)` or `f x1 = Bool.true → g x1 = x1`.',
    '',
  ].join('\n');
}

const writtenNames = (definitions: readonly ShownDefinition[]): ReadonlyMap<string, string> =>
  new Map(definitions.map(({ name, written }) => [name, written]));

interface Tokens {
  /** Returns the text of a symbol; undefined if it cannot be written. */
  symbol(symbol: TermSignature['symbols'][number]): string | undefined;
  variable(role: SlotRole, index: number): string | undefined;
  readonly implies: string;
}

/** Tokens and words of one signature. */
class Vocabulary {
  readonly grammar: TypedGrammar;
  readonly #tokenOf: Map<string, string>;
  readonly #wordOf = new Map<string, string>();

  constructor({ symbols: given, types }: TermSignature, tokens: Tokens) {
    this.#tokenOf = new Map([
      [EQUALS, EQUALS],
      [IMPLIES, tokens.implies],
    ]);
    const symbols: GrammarSymbol[] = [];
    for (const symbol of given) {
      const { name, arguments: its, result, isConstructor } = symbol;
      const token = tokens.symbol(symbol);
      if (token === undefined || (this.#wordOf.get(token) ?? name) !== name) continue;
      this.#wordOf.set(token, name);
      this.#tokenOf.set(name, token);
      symbols.push({ token, arguments: its, result, kind: isConstructor ? 'constructor' : 'function' });
    }
    const taken = new Map<SlotRole, number>();
    for (const [type, { head, variables }] of types.entries())
      for (let index = 0; index < variables; index++) {
        const role = ROLES[head] ?? 'x';
        const token = tokens.variable(role, taken.get(role) ?? 0);
        if (token === undefined) break;
        taken.set(role, (taken.get(role) ?? 0) + 1);
        const word = variableWord(type, index);
        this.#wordOf.set(token, word);
        this.#tokenOf.set(word, token);
        symbols.push({ token, arguments: [], result: type, kind: 'variable' });
      }
    for (const [word, token] of this.#tokenOf) this.#wordOf.set(token, word);
    const boolean = types.findIndex(({ head }) => head === 'Bool');
    this.grammar = { symbols, conditionType: boolean < 0 ? null : boolean, tokensMax: TOKENS_MAX };
  }

  get hasFunctions(): boolean {
    return this.grammar.symbols.some(({ kind }) => kind === 'function');
  }

  /** Returns the words of tokens; null if a token has no word. */
  words(tokens: readonly string[]): string[] | null {
    const words = tokens.map((token) => this.#wordOf.get(token));
    return words.every((word) => word !== undefined) ? words : null;
  }

  /** Returns the tokens of words; null if a word has no token. */
  tokens(words: readonly string[]): string[] | null {
    const tokens = words.map((word) => this.#tokenOf.get(word));
    return tokens.every((token) => token !== undefined) ? tokens : null;
  }

  /** Returns a bracketed text; null if a word has no token or the words are no terms. */
  text(words: readonly string[]): string | null {
    const tokens = this.tokens(words);
    if (tokens === null) return null;
    const sizes = new Map(this.grammar.symbols.map(({ token, arguments: its }) => [token, its.length]));
    const rest = tokens.values();
    const term = (isArgument: boolean): string | null => {
      const { value: token } = rest.next();
      const size = token === undefined ? undefined : sizes.get(token);
      if (size === undefined) return null;
      const parts = Array.from({ length: size }, () => term(true));
      if (parts.includes(null)) return null;
      const written = [token, ...parts].join(' ');
      return isArgument && size > 0 ? `(${written})` : written;
    };
    const out: string[] = [];
    for (;;) {
      const side = term(false);
      if (side === null) return null;
      out.push(side);
      const { value: sign } = rest.next();
      if (sign === undefined) return out.join(' ');
      out.push(sign);
    }
  }
}
