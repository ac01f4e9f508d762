/**
 * Rules for the next word in a tactic proof whose names are slots (`packages/config/schemas/slot-tokens.ts`). Brackets
 * close in order, a name is used only after the proof has introduced it, and `cases` and `induction` take a variable
 * that still exists. The rules are necessary, not sufficient: they know which names exist, not what Lean accepts.
 * States are immutable.
 */
import type { WordPosition } from '../../tokenizer/proof-words.ts';

/** The construct that contains the next word. */
type Context =
  | 'plain'
  /** After `cases` or `induction`: the variable. */
  | 'target'
  /** After `cases h`, where `h` is new: the term of which `h` names the equation. */
  | 'equation'
  /** After the variable of `cases` or `induction`. */
  | 'taken'
  /** After `generalizing`: its first name, or its further names. */
  | 'generalizing'
  | 'generalized'
  /** After `|`: the name of a constructor. */
  | 'alternative'
  /** Names here are introduced. */
  | 'binder';

export interface ProofState {
  readonly context: Context;
  readonly position: WordPosition;
  /** The open brackets, the outermost first. */
  readonly open: string;
  /** Number of open brackets where the current binder began. */
  readonly depth: number;
  /** Names that the proof has introduced, in order. */
  readonly introduced: readonly string[];
  /** Slots of variables that `cases` or `induction` has consumed. */
  readonly gone: readonly string[];
  /** Slots that the current `cases` or `induction` has named. */
  readonly named: readonly string[];
  /** Whether the last sign requires something after it. */
  readonly wantsMore: boolean;
}

export const PROOF_START: ProofState = {
  context: 'plain',
  position: 'command',
  open: '',
  depth: 0,
  introduced: [],
  gone: [],
  named: [],
  wantsMore: true,
};

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '⟨': '⟩' };
const CLOSES: ReadonlySet<string> = new Set(Object.values(CLOSING));
/** Words after which names are introduced. */
const BINDERS: ReadonlySet<string> = new Set(
  'intro intros rintro rename_i obtain rcases have let set suffices fun next case with'.split(' '),
);
/** After these words a consumed variable may exist again: in another goal, or after backtracking. */
const RESTORES: ReadonlySet<string> = new Set(['with', 'by', 'have', 'suffices', 'first', 'case', 'next']);
/** Returns whether a word is never a name of the proof. `_` and `this` need no introduction. */
export const isKeyword = (word: string): boolean =>
  BINDERS.has(word) || word === '_' || word === 'this' || word === 'rfl';
/** Signs with the same effect: other branches, and the end of `try` and `first`, which backtrack. */
const RESTORING: ReadonlySet<string> = new Set([')', '|', '\n']);
const ENDS_BINDER: ReadonlySet<string> = new Set(['\n', ';', ':', '=', '<']);
/** Signs that may follow the variables of `cases` and `induction`. */
const AFTER_TAKEN: ReadonlySet<string> = new Set(['\n', ';', ':', ',', '<', ')', '⟩']);
const AFTER_GENERALIZED: ReadonlySet<string> = new Set(['\n', ';', '<', ')', '⟩']);
const VARIABLE = /^<[nsxhg]\d+>$/u;
/** Slots that `cases` and `induction` may take; functions and types are not among them. */
const TAKEABLE = /^<[nsxh]\d+>$/u;

export const isVariable = (slot: string): boolean => VARIABLE.test(slot);
export const isTakeable = (slot: string): boolean => TAKEABLE.test(slot);

/** Returns the part of a word that may be a name of the proof: `h` of `h.1`. */
export const headOf = (word: string): string => word.split('.', 1)[0]!;

/** Facts about one prompt that its states need. */
export interface ProofScope {
  /** Returns whether the word's head can only be a name that proofs introduce. */
  isName(word: string): boolean;
  /** Slots of the prompt's variables. */
  readonly variables: readonly string[];
}

/** Returns the next state, or null if the word is not allowed here. */
export function afterWord(state: ProofState, word: string, scope: ProofScope): ProofState | null {
  const position: WordPosition = word === 'by' ? 'command' : 'argument';
  const next = { ...state, position, wantsMore: false };
  if (state.position === 'behind-slot') return afterPart(next);
  const head = headOf(word);
  const isIntroduced = state.introduced.includes(head);
  switch (state.context) {
    case 'target':
      if (isIntroduced) return { ...next, context: 'taken' };
      return scope.isName(word) ? { ...next, context: 'equation', introduced: [...state.introduced, head] } : null;
    case 'equation':
      return null;
    case 'generalizing':
      return isIntroduced ? { ...next, context: 'generalized' } : null;
    case 'taken':
      if (word === 'generalizing') return canGeneralize(state, scope) ? { ...next, context: 'generalizing' } : null;
      if (word === 'using') return { ...next, context: 'plain' };
      return word === 'with' ? afterKeyword(next, word) : null;
    case 'generalized':
      if (isIntroduced) return next;
      return word === 'with' ? afterKeyword(next, word) : null;
    case 'alternative':
      return binding(next);
    case 'binder':
      if (isKeyword(word) || !(isIntroduced || scope.isName(word))) return afterKeyword(next, word);
      return isIntroduced ? next : { ...next, introduced: [...state.introduced, head] };
    case 'plain':
      if (word === 'generalizing') return null;
      if (word === 'cases' || word === 'induction')
        return canTake(state, scope) ? { ...next, context: 'target', named: [] } : null;
      return isIntroduced || !scope.isName(word) ? afterKeyword(next, word) : null;
  }
}

export function afterSlot(state: ProofState, slot: string): ProofState | null {
  if (state.position === 'command') return null;
  const next = { ...state, position: 'behind-slot' as const, wantsMore: false };
  switch (state.context) {
    case 'target':
      if (!isTakeable(slot) || state.gone.includes(slot)) return null;
      return { ...next, context: 'taken', gone: [...state.gone, slot], named: [...state.named, slot] };
    case 'equation':
    case 'taken':
      return null;
    case 'generalizing':
    case 'generalized':
      if (!isVariable(slot) || state.gone.includes(slot) || state.named.includes(slot)) return null;
      return { ...next, context: 'generalized', named: [...state.named, slot] };
    case 'alternative':
      return binding(next);
    case 'binder':
      return state.gone.includes(slot) ? { ...next, gone: state.gone.filter((one) => one !== slot) } : next;
    case 'plain':
      return state.gone.includes(slot) ? null : next;
  }
}

/** @param sign a character that belongs to no word. A space is always allowed */
export function afterSign(state: ProofState, sign: string): ProofState | null {
  const { context, open } = state;
  if (sign === ' ') return state.position === 'behind-slot' ? { ...state, position: 'argument' } : state;
  if (context === 'target' && sign !== '(') return null;
  if (context === 'equation' && sign !== ':') return null;
  if (context === 'generalizing') return null;
  if (context === 'taken' && !AFTER_TAKEN.has(sign)) return null;
  if (context === 'generalized' && !AFTER_GENERALIZED.has(sign)) return null;
  const isClosing = CLOSES.has(sign);
  if (isClosing && (open === '' || CLOSING[open.at(-1)!] !== sign)) return null;
  const after = { ...state, open: isClosing ? open.slice(0, -1) : sign in CLOSING ? open + sign : open };
  return {
    ...after,
    context: contextAfter(after, sign),
    position: positionAfter(state.position, sign),
    gone: RESTORING.has(sign) ? [] : state.gone,
    wantsMore: sign === '\n' ? state.wantsMore : !isClosing,
  };
}

/** Returns the state after a number, or null where no value may stand. */
export function afterNumber(state: ProofState): ProofState | null {
  const isRefused = isTaking(state.context) || state.position === 'command' || state.position === 'behind-slot';
  return isRefused ? null : { ...state, position: 'argument', wantsMore: false };
}

export function mayEnd({ context, open, wantsMore }: ProofState): boolean {
  return !wantsMore && open === '' && !NEEDS_A_NAME.has(context);
}

/** The state after a part of a slot's value, as in `h.2`: the slot itself is not consumed. */
function afterPart(state: ProofState): ProofState | null {
  if (state.context === 'taken') return { ...state, gone: state.gone.slice(0, -1) };
  return isTaking(state.context) ? null : state;
}

const NEEDS_A_NAME: ReadonlySet<Context> = new Set<Context>(['target', 'equation', 'generalizing', 'alternative']);
const TAKING: ReadonlySet<Context> = new Set<Context>(['target', 'equation', 'taken', 'generalizing', 'generalized']);
const isTaking = (context: Context): boolean => TAKING.has(context);

const binding = (state: ProofState): ProofState => ({ ...state, context: 'binder', depth: state.open.length });

function afterKeyword(state: ProofState, word: string): ProofState {
  const next = RESTORES.has(word) ? { ...state, gone: [] } : state;
  if (BINDERS.has(word)) return binding(next);
  return state.context === 'binder' ? next : { ...next, context: 'plain' };
}

/** @param state after the sign's bracket was opened or closed */
function contextAfter({ context, open, depth }: ProofState, sign: string): Context {
  switch (context) {
    case 'target':
      return sign === '(' ? 'plain' : context;
    case 'equation':
      return sign === ':' ? 'plain' : context;
    case 'taken':
      return sign === ',' ? 'target' : 'plain';
    case 'generalizing':
    case 'generalized':
      return 'plain';
    case 'binder':
      // `⟨a | b⟩` is a pattern with alternatives.
      if (open.length > depth) return context;
      if (sign === '|') return 'alternative';
      return ENDS_BINDER.has(sign) || open.length < depth ? 'plain' : context;
    case 'alternative':
      return context;
    case 'plain':
      return sign === '|' ? 'alternative' : context;
  }
}

function positionAfter(before: WordPosition, sign: string): WordPosition {
  switch (sign) {
    case '\n':
    case ';':
    case '·':
      return 'command';
    case '|':
      return 'alternative';
    case '(':
      return 'inside';
    case '>':
      // Part of `<;>` or `=>`.
      return before === 'command' ? before : 'inside';
    default:
      return 'argument';
  }
}

function canTake({ gone, introduced }: ProofState, { variables }: ProofScope): boolean {
  return introduced.length > 0 || variables.some((slot) => isTakeable(slot) && !gone.includes(slot));
}

function canGeneralize({ gone, named, introduced }: ProofState, { variables }: ProofScope): boolean {
  return introduced.length > 0 || variables.some((slot) => !gone.includes(slot) && !named.includes(slot));
}
