/** Tests which theorems prompts show, where a proof may use them, and how it names them, in slots and in real names. */

import { type Prompts, resolveConfig } from '@stp/config';
import type { LibraryTheorem } from '@stp/config/records';
import type { CorpusFile } from '@stp/lean-explore';
import { displayProof } from '@stp/selfplay';
import { beforeAll, describe, expect, it } from 'vitest';
import { lemmaOffers, type RunTheorem } from '../../activities/lemma-shelf.ts';
import { proverForms, stateForms } from '../../activities/prover-forms.ts';
import { actionsOver } from '../../activities/provers/scripts/statement-actions.ts';
import { runSft } from '../../activities/sft/run-sft.ts';
import { repositorySources } from '../../workers/sources.ts';

const sources = repositorySources();
const set = { 'prover.lemmasShown': '6', 'prover.lemmaTokens': '100' };
const { prover } = resolveConfig({ preset: 'embedded', set });
const ISA = 'import Stp\nimport Stp.Problems.Isaplanner\nopen Stp.Problems.Isaplanner';
let theorems: readonly LibraryTheorem[];
let byName: ReadonlyMap<string, LibraryTheorem>;
beforeAll(async () => {
  theorems = await sources.libraryTheorems();
  byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));
});

/** Every third: all of them take seconds. */
const someTheorems = () => theorems.filter((_, index) => index % 3 === 0);

const grown = (number: number, statement: string, more: Partial<RunTheorem> = {}): RunTheorem => ({
  name: `Grown.g${number}`,
  generation: 1,
  header: ISA,
  statement,
  ...more,
});
const RIGHT_ZERO = grown(1, 'theorem a (n : Nat) : plus n 0 = n');
const COMM = 'theorem helped (n m : Nat) : plus n m = plus m n';

describe('lemmas of the library', () => {
  it('stand before the theorem, in its file or in one that its file imports', async () => {
    const offerFor = await lemmaOffers(sources, prover, []);
    const imports = new Map(
      (await sources.modules()).map(({ module, text }) => [
        module,
        [...text.matchAll(/^import (\S+)/gmu)].map(([, name]) => name!),
      ]),
    );
    const reached = (module: string): Set<string> =>
      new Set((imports.get(module) ?? []).flatMap((one) => [one, ...reached(one)]));
    const moduleOf = ({ file }: LibraryTheorem): string => `Stp.${file.replace('.lean', '')}`;
    let shown = 0;
    for (const theorem of someTheorems()) {
      const from = reached(moduleOf(theorem));
      for (const { name } of offerFor(theorem).offer().lemmas) {
        const lemma = byName.get(name)!;
        if (lemma.file === theorem.file) expect(lemma.line).toBeLessThan(theorem.line);
        else expect(from).toContain(moduleOf(lemma));
        shown += 1;
      }
    }
    expect(shown).toBeGreaterThan(300);
  });

  it('are slots in what a prover writes, and names again in what is read from it', async () => {
    const formOf = await proverForms(sources, prover);
    let named = 0;
    for (const theorem of someTheorems()) {
      const form = formOf(theorem);
      const target = form.targetOf(theorem.proof)!;
      const proof = displayProof(theorem.proof);
      expect(form.read(target, 'stop')).toMatchObject({ kind: 'proof', proof });
      for (const [index, name] of (form.lemmas ?? []).entries()) {
        expect(form.prompt).toContain(`\n<l${index}>`.slice(form.prompt.startsWith(`<defs><l${index}>`) ? 1 : 0));
        if (theorem.premises.includes(name) && target.includes(`<l${index}>`)) named += 1;
      }
      const slots = [...target.matchAll(/<l\d+>/gu)].map(([slot]) => slot);
      for (const slot of slots) expect(form.prompt).toContain(slot);
    }
    expect(named).toBeGreaterThan(60);
  });

  it('make proofs that name them examples of a first training', async () => {
    const examplesOf = async (changes: Record<string, string>) => {
      const config = resolveConfig({ preset: 'embedded', set: { ...changes, 'data.useSearchedProofs': 'false' } });
      const none: ReadonlySet<string> = new Set();
      const { train } = await runSft(sources, config, { statementKeys: none, theoremKeys: none, slotKeys: none });
      return Array.fromAsync(train);
    };
    const [without, shown] = [await examplesOf({}), await examplesOf(set)];
    expect(without.filter(({ target }) => target.includes('<l'))).toEqual([]);
    expect(shown.filter(({ target }) => target.includes('<l')).length).toBeGreaterThan(150);
    expect(shown.length).toBeGreaterThan(without.length);
  });

  it('are not the statement itself in other words', async () => {
    const offerFor = await lemmaOffers(sources, { ...prover, lemmasShown: 64 }, []);
    const comm = byName.get('Stp.distance_comm')!;
    const asked = { header: null, statement: 'theorem other (x y : Nat) : distance x y = distance y x' };
    const near = { header: null, statement: 'theorem other (x y : Nat) : distance x (y + 0) = distance y x' };
    const names = (stated: typeof asked): string[] =>
      offerFor(stated)
        .offer()
        .lemmas.map(({ name }) => name);
    expect(names(near)).toContain(comm.name);
    expect(names(asked)).not.toContain(comm.name);
  });

  it('are not offered under a header that does not import them', async () => {
    const offerFor = await lemmaOffers(sources, prover, []);
    expect(
      offerFor({ header: 'import Mathlib', statement: 'theorem t (a b : Nat) : a + b = b + a' }).offer().lemmas,
    ).toEqual([]);
    const some = offerFor({ header: 'import Stp.Nat', statement: 'theorem t (a b : Nat) : a * b = b * a' }).offer()
      .lemmas;
    expect(some.length).toBeGreaterThan(0);
    for (const { name, written } of some) expect(written).toBe(name);
  });
});

describe('premises of a prepared set', () => {
  const row = (path: string, imports: string[], premises: [string, string][]): CorpusFile => ({
    path,
    imports,
    premises: premises.map(([name, text], index) => ({
      ...{ full_name: name, code: `theorem ${name}${text}`, kind: 'theorem' },
      ...{ start: [index + 1, 1], end: [index + 1, 2] },
    })),
  });
  const corpus = [
    row('Init.Lists', [], [['List.rev_rev', '.{u} {α : Type u} (l : List α) : l.rev.rev = l']]),
    row(
      'Init.More',
      ['Init.Lists'],
      [['List.rev_map', '.{u} {α : Type u} (f : α → α) (l : List α) : (l.map f).rev = l.rev.map f']],
    ),
    row('Init.Beside', [], [['List.rev_nil', ' : [].rev = []']]),
  ];
  const withCorpus = { ...sources, premises: async () => corpus };
  const asked = { lemmasShown: 4, lemmaTokens: 100, premisesFrom: ['lists'] };
  const statement = 'theorem t (l : List Nat) : (l.map f).rev.rev = l.map f';

  it('are those that the header loads, without their universes', async () => {
    const offerFor = await lemmaOffers(withCorpus, asked, []);
    const offered = (header: string) => offerFor({ header, statement }).offer().lemmas;
    const first = {
      name: 'List.rev_rev',
      written: 'List.rev_rev',
      signature: '{α : Type u} (l : List α) : l.rev.rev = l',
    };
    expect(offered('prelude\nimport Init.Lists')).toEqual([first]);
    expect(
      offered('prelude\nimport Init.More')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['List.rev_map', 'List.rev_rev']);
    expect(offered('prelude\nimport Init.Elsewhere')).toEqual([]);
  });

  it('have none of their universes left, however many there are', async () => {
    const many = row(
      'Init.Lists',
      [],
      [['List.map_rev', '.{u, v} {α : Type u} {β : Type v} (l : List α) : l.rev = l']],
    );
    const offerFor = await lemmaOffers({ ...sources, premises: async () => [many] }, asked, []);
    const [found] = offerFor({ header: 'prelude\nimport Init.Lists', statement }).offer().lemmas;
    expect(found!.signature).toBe('{α : Type u} {β : Type v} (l : List α) : l.rev = l');
  });

  it('have slots in the prompt, and a proof may name them', async () => {
    const prompts: Prompts = { slots: true, definitionTokens: 0, ...asked };
    const form = (await proverForms(withCorpus, prompts))({ header: 'prelude\nimport Init.Lists', statement });
    expect(form.prompt).toContain('<l0>(b:List a):b.rev.rev=b');
    expect(form.targetOf('  simp [List.rev_rev]')).toBe('simp [<l0>]');
    expect(form.read('simp [<l0>]', 'stop')).toMatchObject({ kind: 'proof', proof: 'simp [List.rev_rev]' });
  });

  it('are also found by their form, and by the images that they reduce statements to', async () => {
    const bits = row(
      'Init.Bits',
      [],
      [
        ['UInt8.toBitVec_inj', ' {a b : UInt8} : a.toBitVec = b.toBitVec ↔ a = b'],
        ['UInt8.toBitVec_add', ' (a b : UInt8) : (a + b).toBitVec = a.toBitVec + b.toBitVec'],
        ['BitVec.add_comm', '.{u} {w : Nat} (x y : BitVec w) : x + y = y + x'],
      ],
    );
    const later = row('Init.Later', ['Init.Bits'], [['UInt16.add_comm', ' (a b : UInt16) : a + b = b + a']]);
    const offerFor = await lemmaOffers({ ...sources, premises: async () => [bits, later] }, asked, []);
    const stated = { header: 'prelude\nimport Init.Bits', statement: 'theorem t (a b : UInt8) : a + b = b + a' };
    const found = offerFor(stated);
    expect(found.analogues(4).map(({ name }) => name)).toEqual(['BitVec.add_comm']);
    expect(found.images(['UInt8'], 4)).toMatchObject([
      {
        transfers: [{ written: 'UInt8.toBitVec_inj', relation: '=', image: '·.toBitVec', valuesOn: 'right' }],
        pushes: ['UInt8.toBitVec_add'],
        further: [],
      },
    ]);
    const [action] = actionsOver(offerFor)(stated, {
      ...{ binders: [], definitions: [], applications: [], predicates: [], coreFunctions: [] },
      ...{ core: ['UInt8'], unfoldsToCond: false, grind: 'grind' },
    }).filter(({ parts }) => parts.includes('ends:transfer'));
    expect(action!.proof).toBe(
      '  simp +singlePass only [← UInt8.toBitVec_inj] at * <;> (try simp only [UInt8.toBitVec_add] at *) <;> first | exact BitVec.add_comm .. | ((try simp_all) <;> omega)',
    );
  });

  it('are asked for by the name of a set that has them', async () => {
    const none = lemmaOffers(sources, { ...asked, premisesFrom: ['nng'] }, []);
    await expect(none).rejects.toThrow('the problem set nng has no premises');
  });
});

describe('theorems that the run has proved', () => {
  it('are those of the statement’s header, of earlier generations, and no answer', async () => {
    const others = [
      grown(2, 'theorem b (n m : Nat) : plus n (m + 1) = plus n m + 1'),
      grown(3, 'theorem c (n : Nat) : plus 0 n = n', { header: null }),
      grown(4, 'theorem d (n m : Nat) : plus (n + 1) m = plus n m + 1', { restates: ['asked'] }),
      grown(5, 'theorem e (xs ys : List Nat) : len (append xs ys) = plus (len xs) (len ys)'),
      grown(6, COMM, { generation: 2 }),
      grown(7, 'theorem f (n m k : Nat) : plus (plus n m) k = plus n (plus m k)', { generation: 2 }),
    ];
    const offerFor = await lemmaOffers(sources, prover, [RIGHT_ZERO, ...others]);
    const names = (id: string, statement: string): string[] =>
      offerFor({ id, header: ISA, statement })
        .offer()
        .lemmas.map(({ name }) => name)
        .sort();
    // A theorem does not see its own generation, nor theorems about functions that it does not use.
    expect(names('asked', COMM)).toEqual(['Grown.g1', 'Grown.g2']);
    const assoc = 'theorem new (a b c : Nat) : plus a (plus b c) = plus b (plus a c)';
    expect(names('other', assoc)).toEqual(['Grown.g1', 'Grown.g2', 'Grown.g4', 'Grown.g6', 'Grown.g7']);
  });

  it('are shown with real names where names are no slots, whole ones as long as there is room', async () => {
    const shownWith = async (format: 'deepseek-prover-v2' | 'embedded', lemmaTokens: number): Promise<string> => {
      const plain: Prompts = {
        slots: false,
        format,
        customFormat: null,
        lemmasShown: 6,
        lemmaTokens,
        premisesFrom: [],
      };
      return (await proverForms(sources, plain, [RIGHT_ZERO]))({ header: ISA, statement: COMM }).prompt;
    };
    const line = 'theorem Grown.g1 (n : Nat) : plus n 0 = n';
    const inHeader = await shownWith('deepseek-prover-v2', 100);
    expect(inHeader).toContain(line);
    expect(inHeader.indexOf('open Stp.Problems')).toBeLessThan(inHeader.indexOf(line));
    expect(inHeader.indexOf(line)).toBeLessThan(inHeader.indexOf('theorem helped'));
    expect(await shownWith('embedded', 100)).toMatch(/^\/- Theorems[\s\S]*Grown\.g1[\s\S]*-\/\n<prove>/u);
    expect(await shownWith('embedded', 5)).toMatch(/^<prove>/u);
  });

  it('are shown in searches too, chosen by the goal', async () => {
    const goal = { hypotheses: [{ names: ['n'], type: 'Nat' }], target: 'plus n 0 = n' };
    const rest = grown(2, 'theorem b (n m : Nat) : plus n (m + 1) = plus n m + 1');
    const one = { ...prover, lemmasShown: 1 };
    const slotted = (await stateForms(sources, one, [rest, RIGHT_ZERO]))({ header: ISA, statement: COMM })(goal);
    expect(slotted.lemmas).toEqual(['Grown.g1']);
    expect(slotted.read('exact<l0> n', 'stop')).toMatchObject({ proof: 'exact Grown.g1 n' });
    const plain = (
      await stateForms(
        sources,
        { slots: false, format: 'embedded', customFormat: null, lemmasShown: 1, lemmaTokens: 100, premisesFrom: [] },
        [RIGHT_ZERO],
      )
    )({ header: ISA, statement: COMM });
    expect(plain(goal).prompt).toContain('theorem Grown.g1 (n : Nat) : plus n 0 = n\n-/\n<state>');
  });
});
