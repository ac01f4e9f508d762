/** The curriculum: a good and a bad declaration for each rule, the bad one rejected by the name of the rule. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Build, withPrelude } from './testing/build.ts';
import { declare, parseCases } from './testing/curriculum/notation.ts';

describe.each(['terms', 'types'])('%s', (name) => {
  const cases = parseCases(readFileSync(join(import.meta.dirname, 'testing/curriculum', `${name}.txt`), 'utf8'));
  it.each(cases)('$expected: $title', ({ declarations, expected }) => {
    const build = withPrelude(new Build());
    const verdicts = declarations.map((form) => declare(build, form));
    expect(verdicts.slice(0, -1).filter(({ kind }) => kind !== 'accepted')).toEqual([]);
    const last = verdicts.at(-1)!;
    expect(last.kind === 'rejected' ? last.rule : last.kind, JSON.stringify(last)).toBe(expected);
  });
});
