/**
 * Tests exports that this kernel once wrongly accepted, or on which it crashed or never ended, and similar ones. Each
 * breaks one rule, and its honest twin is accepted.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_LIMITS } from './budget.ts';
import type { RecursorRule } from './declaration.ts';
import type { RecursorConstant } from './environment.ts';
import { Terms } from './expr.ts';
import { checkRecursors } from './inductive/check-recursors.ts';
import { Kernel, type KernelOptions } from './kernel.ts';
import { readExport } from './read/export-file.ts';
import { checkExport } from './run/check-export.ts';
import { STANDARD_AXIOMS } from './special/axiom-names.ts';
import {
  arrow,
  Build,
  c,
  call,
  equal,
  fn,
  maximum,
  number,
  pi,
  projection,
  prop,
  refl,
  sort,
  successor,
  text,
  type,
  v,
  type Word,
  withPrelude,
} from './testing/build.ts';

const fault = (name: string): string => join(import.meta.dirname, 'testing/faults', `${name}.ndjson`);
const check = (files: readonly string[], statements: [string, string][] = [], fuel = DEFAULT_LIMITS.fuel) =>
  checkExport({ files, axioms: STANDARD_AXIOMS, statements, fuel });
const accepted = { kind: 'accepted' };
const nat = c('Nat');
/** `∀ p : Prop, p`, whatever `False` is. */
const falsity = pi('p', prop, v('p'));
const truth = pi('p', prop, arrow(v('p'), v('p')));

describe('files', () => {
  it.each([
    ['a successor at a universe that it has not', 'k1-succ-universe', 'FalseProved', 'application'],
    ['a string made by an axiom', 'k2-string-axiom', 'FalseProved', 'axioms'],
    ['an annotation that is another function', 'k3-outparam', 'FalseProved', 'application'],
    ['strings made anew by a later declaration', 'k4-string-oflist-later', 'after', 'declaration-type'],
    ['a constructor named as an auxiliary one, and a wrong count', 'nested-name-clash', 'Tr', 'inductive-type'],
    ['a sort that is stuck for one proof', 'stuck-prop-proj2', 'carrier', 'projection'],
    ['a quotient at a universe that is not its own', 'quot-foreign-level', 'Quot', 'level'],
    ['a comparison alone', 'trans-direct', 'direct', 'declaration-type'],
    ['the same comparison after others', 'trans-warmed', 'warmed', 'declaration-type'],
  ])('%s is rejected', async (_, name, declaration, rule) => {
    const { verdict, rejected } = await check([fault(name)]);
    expect({ verdict, rejected }).toMatchObject({ verdict: 'rejected', rejected: [{ declaration, rule }] });
  });

  it('no quotient gets a false theorem past a trusted statement', async () => {
    const report = await check([fault('quot-foreign-level')], [['tf', fault('quot-trusted')]]);
    expect(report.verdict).toBe('rejected');
  });

  it('strings made by a constructor have the same statement as in a trusted export, and none where that lacks parts', async () => {
    // Up to its first theorem the file is honest: `"a"` and the application that makes it.
    const folder = await mkdtemp(join(tmpdir(), 'kernel-statement-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const lines = (await readFile(fault('k4-string-oflist-later'), 'utf8')).split('\n');
    const honest = lines.slice(0, lines.findIndex((line) => line.includes('"thm"')) + 1);
    const [whole, part] = [join(folder, 'whole.ndjson'), join(folder, 'part.ndjson')];
    await writeFile(whole, honest.join('\n'));
    // Without the definitions of `Char` and `Char.ofNat`.
    await writeFile(part, honest.filter((line) => !line.includes('"def"')).join('\n'));
    expect((await check([whole], [['before', whole]])).verdict).toBe('accepted');
    const declined = await check([whole], [['before', part]]);
    expect([declined.verdict, declined.declined[0]?.reason]).toEqual([
      'declined',
      expect.stringContaining('the trusted export does not have'),
    ]);
  });

  it('an annotation that hides the type itself has a verdict', async () => {
    expect((await check([fault('optparam-crash')])).verdict).toBe('accepted');
  });

  it('has the same verdict whatever is remembered', async () => {
    for (const name of ['trans-direct', 'trans-warmed', 'stuck-prop-proj2', 'k1-succ-universe', 'nested-name-clash']) {
      const kinds = await Promise.all(
        [{}, { remembers: false }, { accelerates: false }].map((options) => verdicts(fault(name), options)),
      );
      expect(kinds[1]).toEqual(kinds[0]);
      expect(kinds[2]).toEqual(kinds[0]);
    }
  });

  it('takes time linear in the levels of a universe that shares its parts', async () => {
    const report = await check([fault('k13-level-dag-26')], [], 1_000);
    expect(report.verdict).toBe('accepted');
  });
});

/** Returns the verdict of each declaration, also after a rejection. */
async function verdicts(file: string, options: KernelOptions): Promise<string[]> {
  const terms = new Terms();
  const kernel = new Kernel(terms, options);
  const found: string[] = [];
  for await (const declaration of readExport(terms, file)) found.push(kernel.add(declaration).kind);
  return found;
}

const prelude = (): Build => withPrelude(new Build());
const ruleOf = (verdict: { kind: string; rule?: string }): string => verdict.rule ?? verdict.kind;

describe('names that say what a constant is not', () => {
  it('a successor of another type is no successor', () => {
    const build = new Build();
    // `Nat.succ` and `Nat.zero` are definitions over a type that is no `Nat`.
    build.axiom('N', type);
    build.axiom('z', c('N'));
    build.define('Nat.zero', c('N'), c('z'));
    build.define('Nat.succ', arrow(c('N'), c('N')), fn('n', c('N'), c('z')));
    const leibniz = (left: Word, right: Word): Word =>
      pi('P', arrow(c('N'), prop), arrow(call(v('P'), left), call(v('P'), right)));
    const identity = (left: Word): Word => fn('P', arrow(c('N'), prop), fn('x', call(v('P'), left), v('x')));
    build.axiom('a', c('N'));
    const [one, other] = [call(c('Nat.succ'), c('a')), call(c('Nat.succ'), c('z'))];
    expect(build.prove('unfolds', leibniz(one, other), identity(one))).toEqual(accepted);
    build.axiom('f', arrow(c('N'), c('N')));
    expect(ruleOf(build.prove('t', leibniz(call(c('f'), c('a')), c('a')), identity(call(c('f'), c('a')))))).toBe(
      'declaration-type',
    );
  });

  it('zero of another type is not the literal zero', () => {
    const build = new Build();
    build.axiom('Nat', type);
    build.axiom('Nat.zero', nat);
    expect(ruleOf(build.define('d', nat, number(0)))).toBe('literal');
  });

  it.each([
    ['has a parameter', [{ name: 'Nat', type: arrow(type, type), constructors: [] }], 1],
    [
      'has constructors in another order',
      [
        {
          name: 'Nat',
          type,
          constructors: [
            ['Nat.succ', arrow(nat, nat)],
            ['Nat.zero', nat],
          ],
        },
      ],
      0,
    ],
    [
      'is one of two types',
      [
        {
          name: 'Nat',
          type,
          constructors: [
            ['Nat.zero', nat],
            ['Nat.succ', arrow(nat, nat)],
          ],
        },
        { name: 'Other', type, constructors: [['Other.mk', c('Other')]] },
      ],
      0,
    ],
    [
      'has a successor of two numbers',
      [
        {
          name: 'Nat',
          type,
          constructors: [
            ['Nat.zero', nat],
            ['Nat.succ', arrow(nat, arrow(nat, nat))],
          ],
        },
      ],
      0,
    ],
    [
      'has a successor of something else',
      [
        {
          name: 'Nat',
          type,
          constructors: [
            ['Nat.zero', nat],
            ['Nat.succ', arrow(prop, nat)],
          ],
        },
      ],
      0,
    ],
    [
      'is a large type',
      [
        {
          name: 'Nat',
          type: sort(2),
          constructors: [
            ['Nat.zero', nat],
            ['Nat.succ', arrow(nat, nat)],
          ],
        },
      ],
      0,
    ],
  ] as const)('there are no numbers where Nat %s', (_, types, parameters) => {
    const build = new Build();
    expect(build.inductive(types as never, parameters)).toEqual(accepted);
    expect(ruleOf(build.define('d', parameters === 1 ? call(nat, prop) : nat, number(1)))).toBe('literal');
  });

  it('an operation into another Bool is not computed', () => {
    const build = new Build();
    build.inductive([
      {
        name: 'Nat',
        type,
        constructors: [
          ['Nat.zero', nat],
          ['Nat.succ', arrow(nat, nat)],
        ],
      },
    ]);
    build.axiom('Bool', type);
    build.axiom('Bool.true', c('Bool'));
    build.axiom('Bool.false', c('Bool'));
    build.define('Nat.beq', arrow(nat, arrow(nat, c('Bool'))), fn('a', nat, fn('b', nat, c('Bool.true'))));
    expect(build.kernel.isAccelerated(build.name('Nat.beq'))).toBe(false);
  });

  it.each([
    ['Nat.add', fn('x', nat, fn('y', nat, v('y')))],
    ['Nat.mul', fn('x', nat, fn('y', nat, v('x')))],
    ['Nat.sub', fn('x', nat, fn('y', nat, number(0)))],
    ['Nat.beq', fn('x', nat, fn('y', nat, c('Bool.true')))],
    ['Nat.ble', fn('x', nat, fn('y', nat, c('Bool.false')))],
  ])('%s with another definition is not computed', (name, value) => {
    const build = prelude();
    const result = name === 'Nat.beq' || name === 'Nat.ble' ? c('Bool') : nat;
    expect(build.define(name, arrow(nat, arrow(nat, result)), value)).toEqual(accepted);
    expect(build.kernel.isAccelerated(build.name(name))).toBe(false);
  });

  it('an operation that a trusted library has without its body is computed by its type, and an axiom of a file never', () => {
    for (const [its, isComputed] of [
      [arrow(nat, arrow(nat, nat)), true],
      [arrow(nat, arrow(nat, c('Bool'))), false],
      [arrow(nat, nat), false],
    ] as const) {
      const build = prelude();
      const name = build.name('Nat.gcd');
      const axiom = { kind: 'axiom', name, levelParams: [], type: build.term(its), isUnsafe: false } as const;
      expect(build.kernel.trust(axiom)).toEqual(accepted);
      expect(build.kernel.isAccelerated(name)).toBe(isComputed);
    }
    const build = prelude();
    build.axiom('Nat.gcd', arrow(nat, arrow(nat, nat)));
    expect(build.kernel.isAccelerated(build.name('Nat.gcd'))).toBe(false);
  });

  it.each([
    ['outParam', 1],
    ['semiOutParam', 1],
    ['optParam', 2],
    ['autoParam', 2],
  ])('%s is the function that it is declared to be', (name, count) => {
    const build = prelude();
    build.inductive([{ name: 'Empty', type, constructors: [] }]);
    // The function returns `Nat` for every argument.
    const domains = Array.from({ length: count }, () => type);
    const its = domains.reduceRight<Word>((rest, domain) => arrow(domain, rest), type);
    const value = domains.reduceRight<Word>((rest, domain) => fn('_', domain, rest), nat);
    expect(build.define(name, its, value)).toEqual(accepted);
    const field = call(c(name), ...domains.map(() => c('Empty')));
    expect(build.inductive([{ name: 'T', type, constructors: [['T.mk', arrow(field, c('T'))]] }])).toEqual(accepted);
    const motive = fn('_', c('T'), falsity);
    const useEmpty = fn('e', c('Empty'), call(c('Empty.rec', 0), fn('_', c('Empty'), falsity), v('e')));
    expect(ruleOf(build.prove('bad', falsity, call(c('T.rec', 0), motive, useEmpty, call(c('T.mk'), number(0)))))).toBe(
      'application',
    );
    expect(build.prove('good', arrow(field, truth), fn('_', field, fn('p', prop, fn('h', v('p'), v('h')))))).toEqual(
      accepted,
    );
  });
});

describe('strings', () => {
  const list = (its: Word): Word => call(c('List', 'u'), its);
  const sortU = sort(successor('u'));
  const chars = call(c('List', 0), c('Char'));
  const listsIn = (build: Build) =>
    build.inductive(
      [
        {
          name: 'List',
          type: arrow(sortU, sortU),
          constructors: [
            ['List.nil', pi('α', sortU, list(v('α')))],
            ['List.cons', pi('α', sortU, arrow(v('α'), arrow(list(v('α')), list(v('α')))))],
          ],
        },
      ],
      1,
      ['u'],
    );
  const withLists = (): Build => {
    const build = prelude();
    listsIn(build);
    build.define('Char', type, nat);
    build.define('Char.ofNat', arrow(nat, c('Char')), fn('n', nat, v('n')));
    return build;
  };
  const empty = call(c('List.nil', 0), c('Char'));
  const same = (build: Build, name: string, left: Word, right: Word) =>
    build.prove(name, equal(c('String'), left, right), refl(c('String'), left));

  const withMaker = (name: string): Build => {
    const build = withLists();
    const its = c('String');
    build.inductive([{ name: 'String', type, constructors: [['String.of', arrow(chars, its)]] }]);
    build.define(name, arrow(chars, its), fn('l', chars, call(c('String.of'), v('l'))));
    expect(same(build, 'before', text(''), call(c(name), empty))).toEqual(accepted);
    return build;
  };
  const other = fn('_', chars, call(c('String.of'), call(c('List.cons', 0), c('Char'), number(1), empty)));

  it('keep their meaning when the older constructor is declared later', () => {
    const build = withMaker('String.ofList');
    expect(build.define('String.mk', arrow(chars, c('String')), other)).toEqual(accepted);
    expect(same(build, 'after', text(''), call(c('String.ofList'), empty))).toEqual(accepted);
    expect(ruleOf(same(build, 'changed', text(''), call(c('String.mk'), empty)))).toBe('declaration-type');
  });

  it('made by a function of the older name have no newer one beside it, so that order decides nothing', () => {
    const build = withMaker('String.mk');
    expect(ruleOf(build.define('String.ofList', arrow(chars, c('String')), other))).toBe('name');
    expect(same(build, 'after', text(''), call(c('String.mk'), empty))).toEqual(accepted);
  });

  it.each(['String', 'Char', 'Char.ofNat', 'String.ofList'])('a string rests on the axiom %s', (axiom) => {
    const build = withLists();
    const parts: [string, Word, Word][] = [
      ['String', type, chars],
      ['String.ofList', arrow(chars, c('String')), fn('l', chars, v('l'))],
    ];
    const own = new Build();
    const target = axiom.startsWith('Char') ? rebuilt(own, axiom) : build;
    for (const [name, its, value] of parts)
      if (name === axiom) target.axiom(name, its);
      else if (axiom === 'String') target.axiom(name, its);
      else target.define(name, its, value);
    expect(target.define('d', c('String'), text('a'))).toEqual(accepted);
    const { kernel } = target;
    expect(kernel.axioms.of(target.name('d')).map((name) => target.terms.names.print(name))).toContain(axiom);
  });

  /** Lists, and characters of which one part is an axiom. */
  function rebuilt(build: Build, axiom: string): Build {
    withPrelude(build);
    listsIn(build);
    if (axiom === 'Char') build.axiom('Char', type);
    else build.define('Char', type, nat);
    build.axiom('Char.ofNat', arrow(nat, c('Char')));
    return build;
  }

  it.each([
    ['List', (build: Build) => build.axiom('List', arrow(sortU, sortU), ['u'])],
    ['String', (build: Build) => build.axiom('String', prop)],
    ['Char', (build: Build) => build.axiom('Char', sort(2))],
    ['Char.ofNat', (build: Build) => build.axiom('Char.ofNat', arrow(c('Bool'), c('Char')))],
    ['String.ofList', (build: Build) => build.axiom('String.ofList', arrow(nat, c('String')))],
  ])('have no type where %s is something else', (changed, declare) => {
    const build = prelude();
    const steps: [string, () => unknown][] = [
      ['List', () => listsIn(build)],
      ['Char', () => build.define('Char', type, nat)],
      ['Char.ofNat', () => build.axiom('Char.ofNat', arrow(nat, c('Char')))],
      ['String', () => build.axiom('String', type)],
      ['String.ofList', () => build.axiom('String.ofList', arrow(chars, c('String')))],
    ];
    for (const [name, step] of steps) {
      if (name !== changed) step();
      else expect(declare(build)).toEqual(accepted);
    }
    expect(ruleOf(build.define('d', prop, call(fn('x', nat, truth), text('a'))))).toBe('literal');
  });

  it('before their maker is declared have no verdict', () => {
    const build = withLists();
    build.define('String', type, chars);
    expect(build.define('d', c('String'), text('a')).kind).toBe('declined');
  });
});

describe('what is no proposition for certain', () => {
  it('a type whose telescope or sort stands behind a definition gets them as they are', () => {
    const build = prelude();
    build.define('Universe', sort(2), type);
    build.define('Relation', arrow(type, type), fn('α', type, arrow(v('α'), prop)));
    const own = c('P');
    expect(build.inductive([{ name: 'T', type: c('Universe'), constructors: [['T.mk', c('T')]] }])).toEqual(accepted);
    const made = pi('α', type, pi('a', v('α'), call(own, v('α'), v('a'))));
    const relation = pi('α', type, call(c('Relation'), v('α')));
    expect(build.inductive([{ name: 'P', type: relation, constructors: [['P.mk', made]], indices: 1 }], 1)).toEqual(
      accepted,
    );
    const typeOf = (name: string) => build.kernel.environment.get(build.name(name)).type;
    expect(typeOf('T')).toBe(build.term(type));
    expect(typeOf('P')).toBe(build.term(pi('α', type, arrow(v('α'), prop))));
    expect(ruleOf(build.inductive([{ name: 'F', type: arrow(nat, nat), constructors: [] }]))).toBe('inductive-type');
  });

  it('a long telescope is no deep level', () => {
    const build = prelude();
    const long = Array.from({ length: 2_500 }).reduce<Word>(
      (rest, _, at) => arrow([c('True'), nat, type, prop][at % 4]!, rest),
      c('True'),
    );
    expect(build.axiom('long', long)).toEqual(accepted);
    const data = Array.from({ length: 2_500 }).reduce<Word>((rest, _, at) => arrow([nat, type][at % 2]!, rest), nat);
    expect(build.axiom('data', data)).toEqual(accepted);
  });

  it('a comparison of values of a type whose sort is stuck is no comparison of data', async () => {
    const build = new Build();
    for await (const declaration of readExport(build.terms, fault('trans-direct'))) build.kernel.add(declaration);
    // `X h` is a proposition for a variable `h`, and its sort is stuck for the proof `gw` of an equal proposition.
    const stuck = call(c('X'), c('gw'));
    const gate = c('GateP');
    expect(build.define('X', pi('h', gate, call(c('resultSort'), v('h'))), fn('h', gate, c('True')))).toEqual(accepted);
    const values = pi('h', gate, call(c('X'), v('h')));
    build.axiom('g', values);
    build.axiom('k', values);
    build.axiom('P', pi('h', gate, arrow(call(c('X'), v('h')), prop)));
    const at = (name: string): Word => call(c('P'), c('gw'), call(c(name), c('gw')));
    expect(ruleOf(build.prove('t', arrow(at('g'), at('k')), fn('x', at('g'), v('x'))))).toBe('sort');
    expect(ruleOf(build.define('d', arrow(stuck, prop), fn('x', stuck, truth)))).toBe('sort');
  });

  it('data comes out of no proposition, whichever way it is written', () => {
    const build = prelude();
    const box = c('Box');
    build.inductive([{ name: 'Box', type: prop, constructors: [['Box.mk', arrow(nat, box)]] }]);
    const identity = fn('P', prop, v('P'));
    for (const its of [box, call(identity, box)])
      expect(ruleOf(build.define('out', arrow(its, nat), fn('b', its, projection('Box', 0, v('b')))))).toBe(
        'projection',
      );
  });
});

describe('what was derived', () => {
  it('is checked like what a source declares', () => {
    const build = prelude();
    const recursor = build.kernel.environment.get(build.name('Nat.rec'));
    const other = build.kernel.environment.get(build.name('Bool.rec'));
    if (recursor.kind !== 'recursor' || other.kind !== 'recursor') throw new Error('no recursor');
    const isSound = (damage: Partial<RecursorConstant>): boolean =>
      build.kernel.ask((checker) => {
        checkRecursors(checker, [{ ...recursor, ...damage }]);
        return true;
      }) === true;
    const [zero, next] = recursor.rules as [RecursorRule, RecursorRule];
    expect(isSound({})).toBe(true);
    expect(isSound({ type: build.term(number(0)) })).toBe(false);
    expect(isSound({ rules: [{ ...zero, value: next.value }] })).toBe(false);
    expect(isSound({ rules: [{ ...next, value: zero.value }] })).toBe(false);
    expect(isSound({ rules: [{ ...next, fields: 0 }] })).toBe(false);
    expect(isSound({ rules: [{ ...zero, constructor: build.name('Bool.true') }] })).toBe(false);
    expect(isSound({ rules: [{ ...zero, constructor: build.name('Nat') }] })).toBe(false);
    expect(isSound({ type: other.type })).toBe(false);
  });
});

describe('nested types', () => {
  const listOf = (its: Word): Word => call(c('L'), its);
  const withList = (): Build => {
    const build = prelude();
    build.inductive(
      [
        {
          name: 'L',
          type: arrow(type, type),
          constructors: [
            ['L.nil', pi('α', type, listOf(v('α')))],
            ['L.cons', pi('α', type, arrow(v('α'), arrow(listOf(v('α')), listOf(v('α')))))],
          ],
        },
      ],
      1,
    );
    return build;
  };

  it.each([
    ['_nested', '_nested.0', '_nested.0.0'],
    ['T._nested', '_nested.1', 'T._nested.0'],
  ])('may have constructors named %s, %s and %s', (...names) => {
    const build = withList();
    const clash = (name: string): number => {
      const parts = name.split('.');
      return parts.reduce(
        (prefix, part) =>
          /^\d+$/.test(part)
            ? build.terms.names.number(prefix as never, Number(part))
            : build.terms.names.text(prefix as never, part),
        0,
      );
    };
    const declaration = build.inductiveDeclaration(
      [
        { name: 'T', type, constructors: [['T.node', arrow(listOf(c('T')), c('T'))]] },
        {
          name: 'U',
          type,
          constructors: [
            ['u0', arrow(c('Bool'), c('U'))],
            ['u1', c('U')],
            ['u2', c('U')],
          ],
        },
      ],
      0,
      [],
      [],
    );
    if (declaration.kind !== 'inductive') throw new Error('no block');
    const renamed = new Map(names.map((name, at) => [build.name(`u${at}`), clash(name) as never]));
    const honest = {
      ...declaration,
      types: declaration.types.map((its) => ({
        ...its,
        constructors: its.constructors.map((name) => renamed.get(name) ?? name),
      })),
      constructors: declaration.constructors.map((its) => ({ ...its, name: renamed.get(its.name) ?? its.name })),
    };
    expect(build.kernel.add(honest)).toEqual(accepted);
    const made = build.kernel.environment.get(renamed.get(build.name('u0'))!);
    expect(made).toMatchObject({ kind: 'constructor', fields: 1 });
  });
});

describe('universe levels that share their parts', () => {
  /** 2^depth as a tree. */
  const deep = (depth: number): Word => {
    let level: Parameters<typeof sort>[0] = 'u';
    for (let at = 0; at < depth; at++) {
      const below = level;
      level = (build) => {
        const part = build.level(below);
        return build.terms.levels.maximum(part, build.terms.levels.successor(part));
      };
    }
    return sort(level);
  };

  it('are checked, instantiated, compared, kept and printed in steps that grow with the parts', () => {
    const build = new Build({ limits: { ...DEFAULT_LIMITS, fuel: 200_000 } });
    const depth = 700;
    const its = deep(depth);
    expect(build.axiom('A', its, ['u'])).toEqual(accepted);
    expect(build.define('d', sort(maximum(5, 2)), prop).kind).toBe('rejected');
    // Instantiated at a level of its own kind; the types differ, and the message names them.
    expect(ruleOf(build.define('e', prop, c('A', 3)))).toBe('declaration-type');
    expect(build.define('f', its, c('A', 'u'), ['u'])).toEqual(accepted);
    expect(ruleOf(build.axiom('B', its, ['w']))).toBe('level');
    expect(build.inductive([{ name: 'T', type: its, constructors: [] }], 0, ['u']).kind).not.toBe('declined');
  });
});

describe('many literals', () => {
  it('that agree in their lowest word are read in time linear in their number', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kernel-literals-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'literals.ndjson');
    const lines = [
      '{"meta":{"exporter":{"name":"x","version":"1"},"format":{"version":"3.1.0"},"lean":{"version":"4.29.0"}}}',
      ...Array.from({ length: 80_000 }, (_, at) => `{"ie":${at},"natVal":"${(BigInt(at + 1) << 64n) + 7n}"}`),
    ];
    await writeFile(file, lines.join('\n'));
    expect((await check([file])).verdict).toBe('accepted');
  }, 20_000);
});
