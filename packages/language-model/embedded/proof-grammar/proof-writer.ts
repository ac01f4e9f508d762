/**
 * Restricts a sample to words that the model was trained on, where the rules of `proof-state.ts` allow them: computes
 * the tokens that may follow each token. Texts are read as bytes, since a token may be a part of a character.
 */
import type { ProofWords } from '../../tokenizer/proof-words.ts';
import { isSlot } from '../../tokenizer/special-tokens.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import {
  afterNumber,
  afterSign,
  afterSlot,
  afterWord,
  headOf,
  isTakeable,
  isVariable,
  mayEnd,
  PROOF_START,
  type ProofScope,
  type ProofState,
} from './proof-state.ts';
import { textsIn } from './proof-words.ts';

/** A text so far: the state after its complete words, and the bytes of an unfinished word, sign or number. */
interface Reading {
  readonly state: ProofState;
  readonly partial: string;
}

interface PromptScope extends ProofScope {
  /** The prompt's words, among those that a proof may use only if the prompt has them. */
  readonly shown: ReadonlySet<string>;
}

/** Facts that the samples of one prompt share. */
export interface ProofPrompt {
  readonly scope: PromptScope;
  /** Token ids of the prompt's slots. */
  readonly slots: readonly number[];
  /** The start state of this prompt. Cached states belong to one prompt. */
  readonly start: ProofState;
}

/** The allowed text for all equal states. */
interface Rules {
  /** Allowed words, as bytes. */
  readonly words: ReadonlySet<string>;
  /** Prefixes of the allowed words and signs. */
  readonly beginnings: ReadonlySet<string>;
  /** Allowed tokens of text, and the end, by the unfinished bytes. */
  readonly allowed: Map<string, readonly number[]>;
}

/** Number of states whose rules are cached; a model's proofs share most of their states. */
const KEPT_MAX = 2_000;
const NUMBER = '0';
const DIGIT = /^[0-9]$/u;
const WORD_BYTE = /^[\w.'!?]$/u;

const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** The words in the tokens of one model; shared by its samples. */
export class ProofTokens {
  /** Bytes of each text token, by id. */
  readonly #texts: ReadonlyMap<number, string>;
  readonly #slots: ReadonlyMap<number, string>;
  readonly #words: ProofWords['words'];
  readonly #names: ReadonlySet<string>;
  readonly #shown: ReadonlySet<string>;
  readonly #signs: ReadonlySet<string>;
  readonly #rules = new Map<string, Rules>();
  readonly #rulesOf = new WeakMap<ProofState, Rules>();
  readonly endId: number;

  constructor({ words, names, shown, signs }: ProofWords, tokenizer: Tokenizer) {
    const special = tokenizer.specialTokens;
    this.#texts = new Map(
      tokenizer.vocabulary.flatMap((_, id) =>
        special.has(id) ? [] : [[id, Buffer.from(tokenizer.bytesOf(id)).toString('latin1')] as const],
      ),
    );
    this.#slots = new Map([...special].filter(([, token]) => isSlot(token)));
    this.#words = words;
    this.#names = new Set(names);
    this.#shown = new Set(shown);
    this.#signs = new Set(signs.map(bytesOf));
    this.endId = tokenizer.endId;
  }

  promptOf(prompt: string, ids: readonly number[]): ProofPrompt {
    const texts = [...textsIn(prompt)];
    return {
      scope: {
        variables: texts.filter(isVariable),
        isName: (word) => this.#names.has(headOf(word)),
        shown: new Set(texts.filter((text) => this.#shown.has(text))),
      },
      start: { ...PROOF_START },
      slots: [...new Set(ids)].filter((id) => this.#slots.has(id)),
    };
  }

  /** Returns the tokens that may follow. */
  allowed(reading: Reading, { scope, slots }: ProofPrompt): readonly number[] {
    const { allowed } = this.#rulesAt(reading.state, scope);
    let texts = allowed.get(reading.partial);
    const ended = this.#finish(reading, scope);
    if (texts === undefined) {
      const found = [...this.#texts.keys()].filter((id) => this.read(reading, id, scope) !== null);
      if (ended !== null && mayEnd(ended)) found.push(this.endId);
      allowed.set(reading.partial, found);
      texts = found;
    }
    return ended === null
      ? texts
      : [...texts, ...slots.filter((id) => afterSlot(ended, this.#slots.get(id)!) !== null)];
  }

  /** Returns the reading after one more token, or null if the token is not allowed. */
  read(reading: Reading, id: number, scope: PromptScope): Reading | null {
    const slot = this.#slots.get(id);
    if (slot !== undefined) return this.#readSlot(reading, slot, scope);
    let { state, partial } = reading;
    let { beginnings } = this.#rulesAt(state, scope);
    for (const byte of this.#texts.get(id) ?? '') {
      if (beginnings.has(partial + byte)) {
        partial += byte;
        continue;
      }
      if (partial === NUMBER && DIGIT.test(byte)) continue;
      const ended = this.#finish({ state, partial }, scope);
      if (ended === null) return null;
      // Two words need a separator.
      if (partial !== '' && WORD_BYTE.test(byte) && !this.#isSign(partial)) return null;
      if (ended !== state) ({ beginnings } = this.#rulesAt(ended, scope));
      state = ended;
      if (DIGIT.test(byte) && afterNumber(state) !== null) partial = NUMBER;
      else if (beginnings.has(byte)) partial = byte;
      else return null;
    }
    if (!this.#isSign(partial)) return { state, partial };
    const after = this.#finish({ state, partial }, scope);
    return after === null ? null : { state: after, partial: '' };
  }

  #readSlot(reading: Reading, slot: string, scope: PromptScope): Reading | null {
    const ended = this.#finish(reading, scope);
    const state = ended === null ? null : afterSlot(ended, slot);
    return state === null ? null : { state, partial: '' };
  }

  /** Returns the state after a word or number that ends here, or null if it cannot end here. */
  #finish({ state, partial }: Reading, scope: PromptScope): ProofState | null {
    if (partial === '') return state;
    if (partial === NUMBER) return afterNumber(state);
    const text = textOf(partial);
    if (this.#isSign(partial)) return afterSign(state, text);
    if (!this.#rulesAt(state, scope).words.has(partial)) return null;
    return afterWord(state, text, scope);
  }

  #isSign(bytes: string): boolean {
    return this.#signs.has(bytes);
  }

  #rulesAt(state: ProofState, scope: PromptScope): Rules {
    const known = this.#rulesOf.get(state);
    if (known !== undefined) return known;
    const key = keyOf(state, scope);
    const rules = this.#rules.get(key) ?? this.#newRules(state, scope);
    if (this.#rules.size >= KEPT_MAX) this.#rules.clear();
    this.#rules.set(key, rules);
    this.#rulesOf.set(state, rules);
    return rules;
  }

  #newRules(state: ProofState, scope: PromptScope): Rules {
    const mayStand = (word: string): boolean =>
      (!this.#shown.has(word) || scope.shown.has(word)) && afterWord(state, word, scope) !== null;
    const words = this.#words[state.position].filter(mayStand).map(bytesOf);
    const signs = [...this.#signs].filter((sign) => afterSign(state, textOf(sign)) !== null);
    return { words: new Set(words), beginnings: new Set([...words, ...signs].flatMap(beginnings)), allowed: new Map() };
  }
}

/**
 * Returns a key with everything that the rules for text need of a state and its prompt; of slots only whether any may
 * follow.
 */
function keyOf(state: ProofState, { variables, shown }: PromptScope): string {
  const { context, position, open, depth, introduced, gone, named, wantsMore } = state;
  const canTake = variables.some((slot) => isTakeable(slot) && !gone.includes(slot));
  const canGeneralize = variables.some((slot) => !gone.includes(slot) && !named.includes(slot));
  return [context, position, open, depth, introduced.join(), canTake, canGeneralize, wantsMore, ...shown].join(' ');
}

/** The writer of one sample. */
export class ProofWriter {
  readonly #tokens: ProofTokens;
  readonly #prompt: ProofPrompt;
  #reading: Reading;

  constructor(tokens: ProofTokens, prompt: ProofPrompt) {
    this.#tokens = tokens;
    this.#prompt = prompt;
    this.#reading = { state: prompt.start, partial: '' };
  }

  /** Never empty: if nothing may follow, the text ends. */
  allowed(): readonly number[] {
    const ids = this.#tokens.allowed(this.#reading, this.#prompt);
    return ids.length === 0 ? [this.#tokens.endId] : ids;
  }

  /** @param id one of the allowed tokens */
  push(id: number): void {
    this.#reading = this.#tokens.read(this.#reading, id, this.#prompt.scope) ?? this.#reading;
  }
}

/** Returns all non-empty prefixes of a text, itself included. */
function beginnings(text: string): string[] {
  return Array.from(text, (_, index) => text.slice(0, index + 1));
}
