/** Export files: real ones with their verdicts, and what the reader makes of others. About 15 s of processor time. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Budget, DEFAULT_LIMITS } from '../budget.ts';
import type { Declaration } from '../declaration.ts';
import { APPLICATION, CONSTANT, type Expr, Terms } from '../expr.ts';
import { Kernel } from '../kernel.ts';
import { checkInThread } from '../run/check-in-thread.ts';
import { STANDARD_AXIOMS } from '../special/axiom-names.ts';
import { argumentsOf, headOf } from '../spine.ts';
import { Substitution } from '../substitution.ts';
import { Decline } from '../verdict.ts';
import { readExport } from './export-file.ts';

const exportFile = (name: string): string => join(import.meta.dirname, '../testing/exports', name);
const request = (...files: string[]) => ({
  files,
  axioms: STANDARD_AXIOMS,
  statements: [] as [string, string][],
  fuel: DEFAULT_LIMITS.fuel,
});

const META =
  '{"meta":{"exporter":{"name":"x","version":"1"},"format":{"version":"3.1.0"},"lean":{"version":"4.29.0"}}}';
/** `axiom p : Prop`, `theorem t : p → p`. */
const LINES = [
  META,
  '{"in":1,"str":{"pre":0,"str":"p"}}',
  '{"str":{"str":"t","pre":0},"in":2}',
  '{"sort":0,"ie":0}',
  '{"axiom":{"name":1,"levelParams":[],"type":0,"isUnsafe":false}}',
  '{"ie":1,"const":{"us":[],"name":1}}',
  '{"forallE":{"binderInfo":"default","name":1,"type":1,"body":1},"ie":2}',
  '{"bvar":0,"ie":3}',
  '{"ie":4,"lam":{"name":1,"type":1,"body":3,"binderInfo":"default"}}',
  '{"thm":{"name":2,"levelParams":[],"type":2,"value":4,"all":[2]}}',
];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kernel-export-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));
async function written(lines: readonly string[] | Buffer): Promise<string> {
  const file = join(directory, 'given.ndjson');
  await writeFile(file, Buffer.isBuffer(lines) ? lines : lines.join('\n'));
  return file;
}
async function read(lines: readonly string[] | Buffer, terms = new Terms()): Promise<Declaration[]> {
  const declarations: Declaration[] = [];
  for await (const declaration of readExport(terms, await written(lines))) declarations.push(declaration);
  return declarations;
}

/** Removes annotations of binders. Lean states recursors without them; here they are ordinary definitions, and stay. */
function withoutAnnotations(terms: Terms, term: Expr): Expr {
  const annotations = new Map([
    [terms.names.of('outParam'), 1],
    [terms.names.of('semiOutParam'), 1],
    [terms.names.of('optParam'), 2],
    [terms.names.of('autoParam'), 2],
  ]);
  return new Substitution(terms, new Budget(DEFAULT_LIMITS)).replace(term, (expr) => {
    const head = headOf(terms, expr);
    const isAnnotation = terms.kind(head) === CONSTANT && terms.kind(expr) === APPLICATION;
    const given = argumentsOf(terms, expr);
    return isAnnotation && annotations.get(terms.name(head)) === given.length ? given[0]! : null;
  });
}

describe('real exports', () => {
  it('accepts a part of Init whole, its recursors as Lean made them, with the axioms of each theorem', async () => {
    const report = await checkInThread(request(exportFile('init-medium.ndjson.gz')));
    expect(report.rejected).toEqual([]);
    expect(report.declined).toEqual([]);
    expect(report).toMatchObject({
      verdict: 'accepted',
      constants: 3_653,
      axioms: expect.arrayContaining(['propext']),
    });
    expect(report.theorems).toHaveLength(1_819);
    const axiomsOf = (name: string) => report.theorems.find((theorem) => theorem.name === name)?.axioms;
    expect(axiomsOf('Nat.add_comm')).toEqual([]);
    expect(axiomsOf('Classical.em')?.toSorted()).toEqual(['Classical.choice', 'Quot.sound', 'propext']);
    expect(axiomsOf('funext')).toEqual(['Quot.sound']);
  });

  it('derives every recursor structurally as Lean did, the nested one too', async () => {
    const terms = new Terms();
    const kernel = new Kernel(terms);
    const plain = (term: Expr): Expr => withoutAnnotations(terms, term);
    let compared = 0;
    for await (const declaration of readExport(terms, exportFile('init-medium.ndjson.gz'))) {
      // The library is trusted, to save time; inductive types are checked nevertheless.
      expect(kernel.trust(declaration)).toEqual({ kind: 'accepted' });
      if (declaration.kind !== 'inductive') continue;
      for (const claimed of declaration.recursors) {
        const own = kernel.environment.find(claimed.name);
        if (own?.kind !== 'recursor') throw new Error(`no ${terms.names.print(claimed.name)}`);
        // The elimination level is the first parameter where there is one more than the type has; names may differ.
        if (claimed.levelParams.every((name, at) => name === own.levelParams[at])) {
          expect(plain(own.type)).toBe(plain(claimed.type));
          expect(own.rules.map((rule) => plain(rule.value))).toEqual(claimed.rules.map((rule) => plain(rule.value)));
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(170);
    expect(kernel.environment.find(terms.names.of('Lean.Syntax.rec_2'))).toBeDefined();
    for (const name of ['add', 'sub', 'mul', 'div', 'mod', 'pow', 'beq', 'ble', 'shiftLeft', 'shiftRight'])
      expect([name, kernel.isAccelerated(terms.names.of(`Nat.${name}`))]).toEqual([name, true]);
  });

  it('accepts the small closure, ten times in one process without growing', async () => {
    const terms = new Terms();
    const sizes: number[] = [];
    for (let pass = 0; pass < 10; pass++) {
      const kernel = new Kernel(terms);
      for await (const declaration of readExport(terms, exportFile('lex-prelude.ndjson.gz')))
        expect(kernel.add(declaration)).toEqual({ kind: 'accepted' });
      sizes.push(terms.nodes.count + terms.names.count);
    }
    expect(new Set(sizes.slice(1)).size).toBe(1);
  });

  it('rejects a projection of data from a proof', async () => {
    const report = await checkInThread(request(exportFile('proj-from-prop.must-reject.ndjson')));
    expect(report).toMatchObject({ verdict: 'rejected', rejected: [{ rule: 'projection' }] });
  });
});

describe('the reader', () => {
  it('takes keys in any order, and compressed', async () => {
    expect(await read(LINES)).toHaveLength(2);
    const terms = new Terms();
    const kernel = new Kernel(terms);
    for (const declaration of await read(gzipSync(LINES.join('\n')), terms))
      expect(kernel.add(declaration)).toEqual({ kind: 'accepted' });
    expect(kernel.axioms.of(terms.names.of('t')).map((name) => terms.names.print(name))).toEqual(['p']);
  });

  it('takes sparse indices and indices out of order', async () => {
    const sparse = LINES.map((line) => line.replace('"in":2', '"in":9000000').replaceAll('"name":2', '"name":9000000'));
    expect(await read(sparse.map((line) => line.replaceAll('[2]', '[9000000]')))).toHaveLength(2);
    const swapped = LINES.map((line) =>
      line.replaceAll(/"(ie|type|value|body)":([34])/g, (_, key, at) => `"${key}":${7 - Number(at)}`),
    );
    expect(await read(swapped)).toHaveLength(2);
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ['no JSON', (lines) => [...lines, '{'], /:11: /],
    ['no object', (lines) => [...lines, '[1]'], /no JSON object/],
    ['no first line', (lines) => lines.slice(1), /does not say which format/],
    ['an index that is not defined', (lines) => lines.filter((_, at) => at !== 5), /expression 1 is not defined above/],
    ['an index twice', (lines) => [...lines, lines[3]!], /expression 0 is defined twice/],
    ['a record without a type', (lines) => [...lines, '{"axiom":{"name":1,"levelParams":[]}}'], /:11: /],
    ['an unknown record', (lines) => [...lines, '{"theory":{}}'], /:11: /],
    ['an unknown expression', (lines) => [...lines, '{"ie":9,"hole":1}'], /no known kind/],
    ['a negative index', (lines) => [...lines, '{"ie":9,"bvar":-1}'], /no index|-1/],
    ['nothing', () => [''], /empty/],
  ])('refuses %s, with the line', async (_, change, message) => {
    const failure = read(change([...LINES]));
    await expect(failure).rejects.toMatchObject({ code: 'STP1801' });
    await expect(failure).rejects.toThrow(message);
  });

  it.each(['3.0.0', '3.10.0', '4.0.0', '2.0'])('declines format %s', async (version) => {
    await expect(read(LINES.map((line) => line.replace('3.1.0', version)))).rejects.toBeInstanceOf(Decline);
    const report = await checkInThread(request(await written(LINES.map((line) => line.replace('3.1.0', version)))));
    expect(report.verdict).toBe('declined');
  });

  it('refuses a file that is not there, and a damaged archive', async () => {
    await expect(checkInThread(request(join(directory, 'none')))).rejects.toMatchObject({ code: 'STP1801' });
    const damaged = gzipSync(LINES.join('\n')).subarray(0, 60);
    await expect(read(damaged)).rejects.toMatchObject({ code: 'STP1801' });
  });

  it('declines what is nested deeper than any check can go', async () => {
    const deep = Array.from(
      { length: 100_100 },
      (_, at) => `{"ie":${at + 10},"app":{"fn":1,"arg":${at === 0 ? 1 : at + 9}}}`,
    );
    const report = await checkInThread({ ...request(await written([...LINES, ...deep])), axioms: null });
    expect(report.verdict).toBe('declined');
  });

  it('checks terms as high as it reads them', async () => {
    const deep = Array.from(
      { length: 90_000 },
      (_, at) => `{"ie":${at + 10},"app":{"fn":4,"arg":${at === 0 ? 3 : at + 9}}}`,
    );
    const end = [
      `{"ie":200000,"lam":{"name":1,"type":1,"body":90009,"binderInfo":"default"}}`,
      '{"in":3,"str":{"pre":0,"str":"deep"}}',
      '{"thm":{"name":3,"levelParams":[],"type":2,"value":200000,"all":[3]}}',
    ];
    const report = await checkInThread({ ...request(await written([...LINES, ...deep, ...end])), axioms: null });
    expect([report.verdict, report.declined]).toEqual(['accepted', []]);
  });
});

describe('what a theorem rests on and states', () => {
  it('rejects a theorem on an axiom that is not allowed, and accepts it where it is', async () => {
    const file = await written(LINES);
    expect(await checkInThread(request(file))).toMatchObject({
      verdict: 'rejected',
      rejected: [{ rule: 'axioms', declaration: 't' }],
      axioms: ['p'],
    });
    expect((await checkInThread({ ...request(file), axioms: ['p'] })).verdict).toBe('accepted');
    expect((await checkInThread({ ...request(file), axioms: null })).verdict).toBe('accepted');
  });

  it('knows the standard axioms by what they say, not by their names', async () => {
    // `axiom propext : ∀ p : Prop, p`, and an axiom whose name is one text with a dot in it.
    const faked = [
      '{"in":1,"str":{"pre":0,"str":"propext"}}',
      '{"in":2,"str":{"pre":0,"str":"t"}}',
      '{"ie":0,"sort":0}',
      '{"ie":1,"bvar":0}',
      '{"ie":2,"forallE":{"name":1,"type":0,"body":1,"binderInfo":"default"}}',
      '{"axiom":{"name":1,"levelParams":[],"type":2,"isUnsafe":false}}',
      '{"ie":3,"const":{"name":1,"us":[]}}',
      '{"thm":{"name":2,"levelParams":[],"type":2,"value":3,"all":[2]}}',
    ];
    expect(await checkInThread(request(await written([META, ...faked])))).toMatchObject({
      verdict: 'rejected',
      rejected: [{ rule: 'axioms', message: 't rests on propext (not the standard one)' }],
    });
    const dotted = faked.map((line) => line.replace('"str":"propext"', '"str":"Classical.choice"'));
    expect(await checkInThread(request(await written([META, ...dotted])))).toMatchObject({ verdict: 'rejected' });
  });

  it('binds a theorem to a trusted statement and to what that rests on', async () => {
    const trusted = join(directory, 'trusted.ndjson');
    // The statement as an axiom, in another order and with other indices.
    await writeFile(
      trusted,
      [...LINES.slice(0, 7), '{"axiom":{"name":2,"levelParams":[],"type":2,"isUnsafe":false}}'].join('\n'),
    );
    const bound = async (lines: readonly string[], name = 't') =>
      checkInThread({ ...request(await written(lines)), axioms: null, statements: [[name, trusted]] });
    expect((await bound(LINES)).verdict).toBe('accepted');
    expect((await bound(LINES.slice(0, 9))).rejected[0]).toMatchObject({ rule: 'statement' });
    expect((await bound(LINES, 'other')).rejected[0]).toMatchObject({ rule: 'statement' });
    // The type differs: it is `p` alone, by an axiom of `p`.
    const weaker = [
      ...LINES.slice(0, 9),
      '{"in":3,"str":{"pre":0,"str":"h"}}',
      '{"axiom":{"name":3,"levelParams":[],"type":1,"isUnsafe":false}}',
      '{"ie":5,"const":{"name":3,"us":[]}}',
      '{"thm":{"name":2,"levelParams":[],"type":1,"value":5,"all":[2]}}',
    ];
    expect((await bound(weaker)).rejected[0]).toMatchObject({ rule: 'statement' });
    // The same text about another `p`: a definition replaces the axiom.
    const sneaky = LINES.map((line) =>
      line.startsWith('{"axiom"')
        ? '{"def":{"name":1,"levelParams":[],"type":0,"value":6,"hints":"abbrev","safety":"safe"}}'
        : line,
    ).toSpliced(4, 0, '{"bvar":0,"ie":7}', '{"forallE":{"binderInfo":"default","name":1,"type":0,"body":7},"ie":6}');
    expect((await bound(sneaky)).rejected[0]).toMatchObject({ rule: 'statement' });
  });
});
