/** Tests which premises a proof may use, by imports and positions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Position, PremiseCorpus } from './premise-corpus.ts';

const premise = (name: string, line: number, endLine = line) => ({
  name,
  start: [line, 1] as Position,
  end: [endLine, 20] as Position,
});

describe('a premise corpus', () => {
  const corpus = new PremiseCorpus();
  corpus.add('Init.lean', [], [premise('a', 1), premise('b', 3, 5)]);
  corpus.add('Left.lean', ['Init.lean'], [premise('c', 1)]);
  corpus.add('Right.lean', ['Init.lean'], [premise('d', 2)]);
  corpus.add('Top.lean', ['Left.lean'], [premise('e', 4, 6), premise('f', 8)]);
  const usable = (path: string, at: Position): string[] => {
    const accessible = corpus.accessible(path, at)!;
    return corpus.premises.filter((_, number) => accessible(number)).map(({ name }) => name);
  };

  it('gives a proof the files that its file imports, also indirectly, and what ends before it in its own', () => {
    expect(usable('Top.lean', [8, 1])).toEqual(['a', 'b', 'c', 'e']);
    expect(usable('Top.lean', [6, 1])).toEqual(['a', 'b', 'c']);
    expect(usable('Right.lean', [1, 1])).toEqual(['a', 'b']);
    expect(usable('Init.lean', [3, 1])).toEqual(['a']);
    expect(corpus.accessible('Other.lean', [1, 1])).toBeNull();
  });

  it('finds a premise by any place in it', () => {
    expect(corpus.locate('Init.lean', [4, 99])).toBe(1);
    expect(corpus.locate('Top.lean', [8, 20])).toBe(5);
    expect(corpus.locate('Top.lean', [7, 1])).toBeNull();
    expect(corpus.locate('Other.lean', [1, 1])).toBeNull();
  });

  it('refuses a file before its imports, and a file twice', () => {
    expect(corpus.add('New.lean', ['Init.lean', 'Later.lean'], [])).toEqual({ missing: ['Later.lean'] });
    expect(corpus.add('Top.lean', [], [])).toEqual({ missing: ['Top.lean'] });
    expect(corpus.files).toBe(4);
  });

  it('agrees with a walk over the imports, for any graph of files', () => {
    const graphs = fc
      .integer({ min: 1, max: 80 })
      .chain((files) =>
        fc.tuple(
          ...Array.from({ length: files }, (_, file) =>
            file === 0 ? fc.constant<number[]>([]) : fc.uniqueArray(fc.nat({ max: file - 1 }), { maxLength: 4 }),
          ),
        ),
      );
    fc.assert(
      fc.property(graphs, (imports) => {
        const made = new PremiseCorpus();
        for (const [file, own] of imports.entries()) made.add(`${file}`, own.map(String), [premise(`p${file}`, 5)]);
        const last = imports.length - 1;
        const reached = new Set<number>();
        const walk = (file: number): void => {
          for (const next of imports[file]!) {
            if (reached.has(next)) continue;
            reached.add(next);
            walk(next);
          }
        };
        walk(last);
        const accessible = made.accessible(`${last}`, [1, 1])!;
        expect(imports.flatMap((_, file) => (accessible(file) ? [file] : []))).toEqual(
          [...reached].sort((a, b) => a - b),
        );
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
