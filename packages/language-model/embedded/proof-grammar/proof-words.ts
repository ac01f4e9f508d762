/**
 * Collects the words of proofs (`packages/language-model/tokenizer/proof-words.ts`). On unseen prompts a small model
 * joins syllables into words that do not exist; a list of words prevents that.
 */
import { PROOF_MARKER } from '@stp/config/words';
import { type ProofWords, proofWordsSchema, WORDS_MAX, type WordPosition } from '../../tokenizer/proof-words.ts';
import { isSlot } from '../../tokenizer/special-tokens.ts';
import {
  afterNumber,
  afterSign,
  afterSlot,
  afterWord,
  headOf,
  isKeyword,
  isVariable,
  mayEnd,
  PROOF_START,
  type ProofScope,
  type ProofState,
} from './proof-state.ts';

/**
 * Maximum share of a training's proofs that the rules may refuse. Above it, the rules do not fit these proofs. One
 * refused proof is always allowed, since a round may have only a handful.
 */
const REFUSED_SHARE_MAX = 0.02;

export interface Atom {
  readonly kind: 'slot' | 'word' | 'number' | 'sign';
  readonly text: string;
}

const ATOM = /(<[a-z]+\d*>)|([\p{L}_.'!?][\p{L}\p{N}_.'!?₀-₉]*)|(\p{N}+)|(.)/gsu;

/** Yields a text's slots, words, numbers and other characters, in order and without gaps. */
export function* atomsOf(text: string): Generator<Atom> {
  for (const [found, slot, word, number] of text.matchAll(ATOM)) {
    if (slot !== undefined && !isSlot(slot)) {
      // The text resembles a slot but is none.
      yield { kind: 'sign', text: '<' };
      yield* atomsOf(found.slice(1));
    } else if (slot !== undefined) yield { kind: 'slot', text: found };
    else if (word !== undefined) yield { kind: 'word', text: found };
    else yield { kind: number === undefined ? 'sign' : 'number', text: found };
  }
}

export interface ProofText {
  readonly prompt: string;
  readonly target: string;
}

/** Returns the distinct slots, words and signs of a prompt. */
export function textsIn(prompt: string): ReadonlySet<string> {
  return new Set(Array.from(atomsOf(prompt.replaceAll(PROOF_MARKER, '')), ({ text }) => text));
}

/**
 * Collects the words of these proofs, added to those in `known`. Returns null if there are too many words, or if the
 * rules of `proof-state.ts` refuse more than `REFUSED_SHARE_MAX` of the proofs: they are then of another kind.
 */
export function proofWordsOf(proofs: Iterable<ProofText>, known: ProofWords | null): ProofWords | null {
  const words = perPosition((position) => new Set(known?.words[position]));
  const unshown = new Set(Object.values(known?.words ?? {}).flat());
  for (const word of known?.shown ?? []) unshown.delete(word);
  const signs = new Set(known?.signs);
  const bound = new Set(known?.names);
  const free = new Set(
    Object.values(known?.words ?? {})
      .flatMap((those) => those.map(headOf))
      .filter((head) => !bound.has(head)),
  );
  let [refused, count] = [0, 0];
  for (const { prompt, target } of proofs) {
    count++;
    const ofPrompt = textsIn(prompt);
    const variables = [...ofPrompt].filter(isVariable);
    let [state, isRefused] = [PROOF_START, false];
    for (const atom of atomsOf(target)) {
      const { kind, text } = atom;
      const isPart = state.position === 'behind-slot';
      const isBinding = !isPart && (state.context === 'binder' || state.context === 'target') && !isKeyword(text);
      if (kind === 'word') {
        words[state.position].add(text);
        if (isBinding || !ofPrompt.has(text)) unshown.add(text);
        if (isBinding) bound.add(headOf(text));
        else if (!isPart && !state.introduced.includes(headOf(text))) free.add(headOf(text));
      }
      if (kind === 'sign') signs.add(text);
      const next = afterAtom(state, atom, { variables, isName: () => isBinding });
      isRefused ||= next === null;
      state = next ?? state;
    }
    if (isRefused || !mayEnd(state)) refused++;
    if (Object.values(words).some(({ size }) => size > WORDS_MAX)) return null;
  }
  if (refused > Math.max(1, REFUSED_SHARE_MAX * count)) return null;
  const found = {
    words: perPosition((position) => [...words[position]].sort()),
    names: [...bound].filter((name) => !free.has(name)).sort(),
    shown: [...new Set(Object.values(words).flatMap((those) => [...those]))]
      .filter((word) => !unshown.has(word))
      .sort(),
    signs: [...signs].sort(),
  };
  return proofWordsSchema.safeParse(found).success ? found : null;
}

const perPosition = <T>(of: (position: WordPosition) => T): Record<WordPosition, T> => ({
  command: of('command'),
  alternative: of('alternative'),
  inside: of('inside'),
  'behind-slot': of('behind-slot'),
  argument: of('argument'),
});

export function afterAtom(state: ProofState, { kind, text }: Atom, scope: ProofScope): ProofState | null {
  switch (kind) {
    case 'slot':
      return afterSlot(state, text);
    case 'number':
      return afterNumber(state);
    case 'sign':
      return afterSign(state, text);
    case 'word':
      return afterWord(state, text, scope);
  }
}
