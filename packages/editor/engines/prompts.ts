/** The prompt formats of different models. A prompt ends with the prefix, and the model's output continues it. */
import { displayProof, goalStatement, plainStateForm, proverPrompt, slottedStateForm } from '@stp/selfplay';
import type { PromptKind } from '../defaults.ts';
import type { Query } from './engine.ts';

export interface Prompt {
  readonly prompt: string;
  readonly stop: readonly string[];
  /** Returns the tactic in the model's output, beginning with the prefix. */
  read(text: string): string;
}

/** Approximate number of prompt tokens for definitions, as in the preset `embedded`. */
const DEFINITION_TOKENS = 150;
const FENCE = '---';

/** Worked examples for models that were not trained on tactics. */
const EXAMPLES = [
  ['p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q', 'exact ⟨hp, hq⟩'],
  ['n m : Nat\nh : n < m\n⊢ n + 1 ≤ m', 'omega'],
  [
    'α : Type\nx : α\nxs ys : List α\n⊢ (x :: xs ++ ys).length = ys.length + xs.length + 1',
    'simp [Nat.add_comm, Nat.add_left_comm]',
  ],
] as const;

const continuing = (prompt: string, prefix: string, stop: readonly string[]): Prompt => ({
  prompt: prompt + prefix,
  stop,
  read: (text) => prefix + text,
});

const MAKERS: Readonly<Record<PromptKind, (query: Query) => readonly Prompt[]>> = {
  /** For models of this project that were trained on states. */
  state: ({ goal, definitions, prefix }) => {
    const form =
      definitions.length === 0 ? plainStateForm(goal) : slottedStateForm(goal, definitions, DEFINITION_TOKENS);
    const written = prefix === '' ? '' : (form.targetOf(prefix) ?? prefix);
    const read = (text: string): string => {
      const answer = form.read(written + text, 'stop');
      return answer.kind === 'proof' ? displayProof(answer.proof) : '';
    };
    return [{ prompt: form.prompt + written, stop: [], read }];
  },
  /** For models of this project that write whole proofs: states the goal as a theorem. */
  proof: ({ goal, prefix }) => [continuing(proverPrompt(goalStatement(goal)), prefix, [])],
  llmstep: ({ state, prefix }) => [continuing(`[GOAL]${state}[PROOFSTEP]`, prefix, ['<|endoftext|>'])],
  /** Two prompts, like llmstep's server for Llemma: worked examples, and the file itself. */
  llemma: ({ state, prefix, context }) => {
    const examples = [...EXAMPLES, [state, null] as const].map(([goal, tactic]) => {
      const asked = `Tactic state:\n${FENCE}\n${goal}\n${FENCE}\nNext tactic:\n${FENCE}\n`;
      return tactic === null ? asked : `${asked}${tactic}\n${FENCE}\n\n`;
    });
    const task = 'Each Lean 4 tactic state below is followed by a tactic that makes progress in it.\n\n';
    const shown = continuing(task + examples.join(''), prefix, [FENCE, '\n']);
    return context.trim() === '' ? [shown] : [shown, continuing(context, prefix, [FENCE, '\n'])];
  },
  /** State and tactic without markers, like ReProver's generators without retrieval. */
  reprover: ({ state, prefix }) => [continuing(state, prefix, [])],
};

export const promptsOf = (kind: PromptKind, query: Query): readonly Prompt[] => MAKERS[kind](query);
