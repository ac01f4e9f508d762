/**
 * Proofs and definitions of Lean's library with one place of the value changed. Statements are never changed, so an accepted
 * mutant of a theorem is another proof of something true, and one of a definition another value of the same type. An
 * accepted mutant must be explained by more than the check it passed: a kernel that remembers nothing and computes no numbers does
 * not reject it either, and at the type `False` it is refused.
 * About 6 s of a core; STP_KERNEL_MUTANTS sets how many there are.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './budget.ts';
import type { Declaration } from './declaration.ts';
import { Terms } from './expr.ts';
import { Kernel } from './kernel.ts';
import type { Name } from './name.ts';
import { readExport } from './read/export-file.ts';
import { mutate, Random } from './testing/mutate.ts';

const EXPORT = join(import.meta.dirname, 'testing/exports/init-medium.ndjson.gz');
const MUTANTS = Number(process.env.STP_KERNEL_MUTANTS ?? 600);
/** The library's own proofs need at most 12 million steps; a mutant that runs on is declined. */
const LIMITS = { ...DEFAULT_LIMITS, fuel: 2_000_000, nodes: 1_000_000 };
/** A literal or a constant of a definition may be replaced by another of its type. Measured: 1 in 80. */
const ACCEPTED_SHARE_MAX = 0.05;

it('rejects changed proofs, but for those that are proofs all the same', async () => {
  const random = new Random(20261121);
  const terms = new Terms();
  const kernel = new Kernel(terms, { limits: LIMITS });
  const plain = new Kernel(terms, { limits: LIMITS, remembers: false, accelerates: false });
  const counts = { rejected: 0, declined: 0, accepted: 0 };
  const rules = new Map<string, number>();
  const accepted: string[] = [];
  const names: Name[] = [];
  let valued = 0;
  const falsity = terms.constant(terms.names.of('False'), terms.levels.list([]));
  let number = 0;
  for await (const declaration of readExport(terms, EXPORT)) {
    if ('value' in declaration && names.length > 100) {
      // The number of each is chosen so that the total is as requested: the file has 3,047 with values.
      valued += MUTANTS / 3_047;
      for (; valued >= 1; valued--) {
        const value = mutate(terms, declaration.value, names, random);
        if (value === null || value === declaration.value) continue;
        const mutant = (change: Partial<Declaration>) =>
          ({ ...declaration, value, name: terms.names.of(`mutant${number++}`), ...change }) as Declaration;
        const verdict = kernel.add(mutant({}));
        counts[verdict.kind]++;
        if (verdict.kind === 'rejected') rules.set(verdict.rule, (rules.get(verdict.rule) ?? 0) + 1);
        if (verdict.kind !== 'accepted') continue;
        accepted.push(terms.names.print(declaration.name));
        const again = plain.add(mutant({}));
        expect(again.kind, terms.names.print(declaration.name)).not.toBe('rejected');
        expect(
          kernel.add(mutant({ kind: 'theorem', type: falsity, levelParams: declaration.levelParams })).kind,
        ).not.toBe('accepted');
      }
    }
    expect(kernel.add(declaration).kind).not.toBe('rejected');
    plain.trust(declaration);
    if (declaration.kind !== 'inductive') names.push(declaration.name);
  }
  const all = counts.accepted + counts.declined + counts.rejected;
  console.log(JSON.stringify({ all, ...counts, rules: Object.fromEntries(rules), such: accepted.slice(0, 20) }));
  expect(all).toBeGreaterThan(MUTANTS * 0.9);
  expect(counts.accepted).toBeLessThan(all * ACCEPTED_SHARE_MAX);
  expect(rules.size).toBeGreaterThan(4);
}, 600_000);
