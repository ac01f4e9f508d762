/**
 * SFT examples of a conjecturer that writes under a grammar by type: a library theorem, and an equation over the functions near it that
 * holds on test values and needs more than a cheap tactic.
 */
import type { Example, LibraryTheorem } from '@stp/config/records';
import type { LibraryEquations } from '@stp/lean-explore';
import { boundNames, randomStream, type Stated, typedForm } from '@stp/selfplay';
import type { DefinitionSource } from '../ports.ts';

export interface TypedExamplesInput {
  readonly explored: readonly LibraryEquations[];
  /** Theorems that no run holds out. */
  readonly theorems: ReadonlyMap<string, LibraryTheorem>;
  readonly definitions: DefinitionSource;
  readonly definitionTokens: number;
  /** Must an equation be in no example? */
  readonly isSealed: (stated: Stated) => boolean;
  /** Texts of equations that later proofs of the library rested on: these are examples first. */
  readonly paid: ReadonlySet<string>;
  /** Equations for one theorem, at most; null: all. */
  readonly perTheoremMax: number | null;
  readonly weight: number;
  readonly seed: number;
}

/** Theorems near the same functions get different equations, as far as there are enough. */
export function* typedExamples(input: TypedExamplesInput): Generator<Example> {
  const random = randomStream(input.seed, 'typed examples');
  for (const { theorems, signature, equations } of input.explored) {
    const near = theorems.flatMap((name) => input.theorems.get(name) ?? []);
    if (near.length === 0) continue;
    const { header } = near[0]!;
    const open = equations.filter(({ text }) => !input.isSealed({ header, statement: `theorem explored ${text}` }));
    const most = Math.min(open.length, input.perTheoremMax ?? open.length);
    let order: typeof open = [];
    for (const { header: own, statement } of random.shuffle(near)) {
      const definitions = input.definitions.under(own, statement, boundNames(statement));
      const form = typedForm(statement, signature, definitions, input.definitionTokens);
      if (form === null) continue;
      for (let taken = 0; taken < most; taken++) {
        if (order.length === 0)
          order = random
            .shuffle([...open])
            .sort((a, b) => Number(input.paid.has(a.text)) - Number(input.paid.has(b.text)));
        const target = form.write(order.pop()!.words);
        if (target !== null) yield { prompt: form.prompt, target, weight: input.weight, role: 'conjecturer' };
      }
    }
  }
}
