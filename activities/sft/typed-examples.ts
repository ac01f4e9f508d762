/**
 * SFT examples for a conjecturer that writes under a grammar by type. Each is a library theorem with an equation over
 * the functions near it that holds on test values and needs more than a cheap tactic.
 */
import { setImmediate } from 'node:timers/promises';
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
  /** Must an equation be left out of all examples? */
  readonly isSealed: (stated: Stated) => boolean;
  /** Texts of equations that later proofs of the library rest on: they become examples first. */
  readonly paid: ReadonlySet<string>;
  /** Most equations for one theorem; null: all. */
  readonly perTheoremMax: number | null;
  readonly weight: number;
  readonly seed: number;
}

/**
 * Theorems near the same functions get different equations, if there are enough. Testing whether an equation is sealed
 * takes a millisecond or more, so only equations that would become examples are tested, and the event loop gets control
 * in between.
 */
export async function* typedExamples(input: TypedExamplesInput): AsyncGenerator<Example> {
  const random = randomStream(input.seed, 'typed examples');
  for (const { theorems, signature, equations } of input.explored) {
    const near = theorems.flatMap((name) => input.theorems.get(name) ?? []);
    if (near.length === 0) continue;
    const { header } = near[0]!;
    const sealed = new Map<string, boolean>();
    const isSealed = (text: string): boolean => {
      const known = sealed.get(text) ?? input.isSealed({ header, statement: `theorem explored ${text}` });
      sealed.set(text, known);
      return known;
    };
    let order: typeof equations = [];
    const next = (): (typeof equations)[number] => {
      if (order.length === 0)
        order = random
          .shuffle(equations)
          .sort((a, b) => Number(input.paid.has(b.text)) - Number(input.paid.has(a.text)));
      return order.shift()!;
    };
    for (const { header: own, statement } of random.shuffle(near)) {
      await setImmediate();
      const definitions = input.definitions.under(own, statement, boundNames(statement));
      const form = typedForm(statement, signature, definitions, input.definitionTokens);
      if (form === null) continue;
      let left = input.perTheoremMax ?? equations.length;
      for (let asked = 0; asked < equations.length && left > 0; asked++) {
        const { text, words } = next();
        const target = form.write(words);
        if (target === null || isSealed(text)) continue;
        left--;
        yield { prompt: form.prompt, target, weight: input.weight, role: 'conjecturer' };
      }
    }
  }
}
