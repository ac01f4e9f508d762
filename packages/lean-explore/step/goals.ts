/**
 * Reads goals from the language server: as data (`Lean.Widget.getInteractiveGoals`, whose texts are trees of tagged
 * pieces) and as text (`$/lean/plainGoal`). Both list the same goals in the same order.
 */
import { z } from 'zod';
import type { Goal } from './step.ts';

/** Far more than a person or a model reads. Larger answers are refused as a whole. */
const GOALS_MAX = 1_000;
const HYPOTHESES_MAX = 10_000;

type TaggedText = { text: string } | { append: TaggedText[] } | { tag: [unknown, TaggedText] };
const taggedTextSchema: z.ZodType<TaggedText> = z.lazy(() =>
  z.union([
    z.object({ text: z.string() }),
    z.object({ append: z.array(taggedTextSchema) }),
    z.object({ tag: z.tuple([z.unknown(), taggedTextSchema]) }),
  ]),
);

const interactiveSchema = z
  .object({
    goals: z
      .array(
        z.object({
          userName: z.string().nullish(),
          hyps: z
            .array(z.object({ names: z.array(z.string()), type: taggedTextSchema, val: taggedTextSchema.nullish() }))
            .max(HYPOTHESES_MAX),
          type: taggedTextSchema,
        }),
      )
      .max(GOALS_MAX),
  })
  .nullable();

const plainSchema = z.object({ goals: z.array(z.string()).max(GOALS_MAX) }).nullable();

/** Returns null if an answer has an unexpected format, or if the two do not match. */
export function readGoals(interactive: unknown, plain: unknown): readonly Goal[] | null {
  const data = interactiveSchema.safeParse(interactive);
  const text = plainSchema.safeParse(plain);
  if (!data.success || !text.success || data.data === null || text.data === null) return null;
  const texts = text.data.goals;
  if (texts.length !== data.data.goals.length) return null;
  return data.data.goals.map(({ userName, hyps, type }, index) => ({
    name: userName ?? null,
    hypotheses: hyps.map(({ names, type: of, val }) => ({
      names,
      type: flatten(of),
      ...(val == null ? {} : { value: flatten(val) }),
    })),
    target: flatten(type),
    text: texts[index]!,
  }));
}

function flatten(tagged: TaggedText): string {
  if ('text' in tagged) return tagged.text;
  return 'append' in tagged ? tagged.append.map(flatten).join('') : flatten(tagged.tag[1]);
}

/** Returns the references to objects that the server keeps until we release them: `{"p": …}` or `{"__rpcref": …}`. */
export function referencesIn(answer: unknown): object[] {
  const found: object[] = [];
  const left: unknown[] = [answer];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const keys = Object.keys(value);
    if (keys.length === 1 && (keys[0] === 'p' || keys[0] === '__rpcref')) found.push(value);
    else left.push(...Object.values(value));
  }
  return found;
}
