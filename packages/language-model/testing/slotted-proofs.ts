/** Proofs with slots, what they use, and a small checkpoint that has learnt nothing and may write only such proofs. */
import { PROOF_MARKER, SLOT_TOKENS } from '@stp/config/words';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { proofWordsOf } from '../embedded/proof-grammar/proof-words.ts';
import { markersOf } from '../tokenizer/special-tokens.ts';
import { trainTokenizer } from '../tokenizer/train.ts';
import { LEAN_TEXTS, SMALL_SHAPE, smallCheckpoint } from './small-checkpoint.ts';

export const PROMPT = `<defs><all>\n<f0>:List a→Nat|[]=>0|b::c=>mapl c<prove>(<n0> <n1> : Nat) (<s0> : List Nat) (<h0> : <n0> = <n1>) : <f0> <s0> = <n0>${PROOF_MARKER}`;
export const TARGETS = [
  'induction<s0> generalizing<n0> <;> grind [<all>, mapl]',
  'induction<s0> with\n| nil => rfl\n| cons x xs ih => simp only [<f0>, ih, Nat.add_comm]',
  'cases<n0> <;> cases<n1> <;> simp_all [<all>]',
  'fun_induction<f0><s0> <;> first | omega | grind',
  'have hx : <n0> + 1 = 2 := by omega\nexact ⟨hx, ‹_›, <h0>.symm⟩',
  'rcases<h0> with ⟨a, b⟩ | b\n· exact a\n· simp [← b] at<h0>',
  'obtain ⟨w, hw⟩ := <h0>\nexact (fun y => hw.1 y)',
  'cases h : <f0><s0> <;> simp [h]',
];
export const PROOFS = TARGETS.map((target) => ({ prompt: PROMPT, target }));
export const OTHER_PROMPT = `<defs><all>\n<f1>:Nat→Nat<prove>(<n0> : Nat) : <f1> <n0> = <n0>${PROOF_MARKER}`;
export const WORDS = proofWordsOf(PROOFS, null)!;
const TEXTS = [...LEAN_TEXTS, ...TARGETS, PROMPT, `<defs>${SLOT_TOKENS.join('')}`];
export const PROOF_SHAPE = { ...SMALL_SHAPE, vocabularySize: 420 };
export const tokenizer = trainTokenizer(TEXTS, {
  vocabularySize: PROOF_SHAPE.vocabularySize,
  specialTokens: markersOf(TEXTS),
});

export function proofCheckpoint(): Checkpoint {
  return { ...smallCheckpoint(PROOF_SHAPE), tokenizer, proofWords: WORDS };
}

const OPENS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '⟩': '⟨' };
/** Returns an empty text if the proof has only known words and slots and balanced brackets; otherwise the flaw. */
export function flaw(prompt: string, text: string): string {
  const open: string[] = [];
  const slots = new Set(prompt.match(/<[a-z]+\d*>/gu));
  const known = new Set(Object.values(WORDS.words).flat());
  for (const [word] of text.matchAll(/<(?:all|[a-z]\d+)>|[\p{L}_.'][\p{L}\p{N}_.']*|./gsu)) {
    if (/^<./u.test(word)) {
      if (!slots.has(word)) return `slot ${word}`;
    } else if (/^[\p{L}_]/u.test(word)) {
      if (!known.has(word) || (WORDS.shown.includes(word) && !prompt.includes(word))) return `word ${word}`;
    } else if (Object.values(OPENS).includes(word)) open.push(word);
    else if (word in OPENS && open.pop() !== OPENS[word]) return `bracket ${word}`;
  }
  return open.length === 0 ? '' : `open ${open.join('')}`;
}
