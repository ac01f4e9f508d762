/**
 * Prepared sets: the result of preparing a file, and that a run uses them without a leak. Runs the command seven
 * times: about 12 s.
 */

import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StpError } from '@stp/base';
import { resolveConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import {
  exampleSchema,
  type LibraryTheorem,
  libraryTheoremSchema,
  type ObjectStore,
  statementSchema,
} from '@stp/config/records';
import { proved as provedRecord } from '@stp/config/testing';
import { writeFolder, writeSftSet } from '@stp/datasets';
import { conjecturerExample, matchingWeight, proverExample, statementKey } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { prepareDataActivity } from '../../activities/control/prepare-data.ts';
import { readAll } from '../../activities/records/record-files.ts';
import type { PreparedData } from '../../activities/run/prepared-data.ts';
import { statementKeysOf } from '../../activities/sft/statements-of.ts';
import { type PrepareOptions, prepare as prepareData } from '../../cli/data/data.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { DATA } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { problemSet } from '../problems/problem-set.ts';
import { REPOSITORY, STP, stp } from '../support/stp.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'datasets');
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-prepare-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The command itself. */
const command = (...args: string[]) => stp(['data', 'prepare', ...args], { env: { STP_DATA: directory } });
/** Runs it in this process and returns its output. */
async function prepare(options: PrepareOptions): Promise<string> {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  try {
    await prepareData({ out: directory, ...options });
    return log.mock.calls.join('\n');
  } finally {
    log.mockRestore();
  }
}
const lines = (...rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const file = async (name: string, content: string): Promise<string> => {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
};

describe('bin/stp data prepare', () => {
  it('makes a problem set of a JSON array, under Mathlib’s header, with a card', async () => {
    const made = await command('--from', 'minif2f', '--input', join(FIXTURES, 'minif2f.json'), '--split', 'valid');
    expect(made.all).toContain('minif2f-valid: 4 training and 0 held-out statements of 4 rows');
    const statements = await problemSet(join(directory, 'problems', 'minif2f-valid'));
    expect(statements).toHaveLength(4);
    for (const statement of statements)
      expect(statement).toMatchObject({ labels: ['minif2f-valid', 'miniF2F valid'], weight: 1, split: 'train' });
    expect(statements[0]!.header).toMatch(/^import Mathlib\nimport Aesop\n/);
    const card = await readFile(join(directory, 'problems', 'minif2f-valid', 'card.md'), 'utf8');
    expect(card).toContain('**Licence**: MIT');
    expect(card).toContain('**Count**: 4; 4 train, 0 held out.');
  });

  it.each([
    ['minif2f', 'minif2f.json'],
    ['proofnet', 'proofnet.jsonl'],
  ])('gives in the card of %s the numbers of this file, not those of the whole set', async (from, fixture) => {
    await prepare({ from, input: join(FIXTURES, fixture), name: `card-${from}` });
    const [, , about] = (await readFile(join(directory, 'problems', `card-${from}`, 'card.md'), 'utf8')).split('\n');
    expect(about).toMatch(/in Lean 4/u);
    expect(about).not.toMatch(/\d (?:valid|test)\b/u);
  });

  it('tells apart what has one name, leaves out and counts what is no theorem, and names the set', async () => {
    const input = join(FIXTURES, 'proofnet.jsonl');
    const made = await prepare({ from: 'proofnet', input, json: true });
    expect(JSON.parse(made)).toMatchObject([{ train: 2, heldOut: 1, rows: 4, skipped: 1, renamed: 1 }]);
    const statements = await problemSet(join(directory, 'problems', 'proofnet'));
    expect(statements.map(({ name }) => name)).toEqual(['exercise_3_3', 'exercise_3_3_2', 'exercise_1_13b']);
    expect(statements[1]!.statement).toMatch(/^theorem exercise_3_3_2\s/);
  });

  it('says of a file in another form what the first row lacks', async () => {
    const input = await file('other.jsonl', lines({ name: 'a', formal_statement: 'theorem a : 1 = 1 := by' }));
    await expect(prepare({ from: 'putnam', input, name: 'other' })).rejects.toMatchObject({
      code: 'STP1501',
      message: expect.stringMatching(/none of them is a statement of the set; .*other\.jsonl:1: header: /u),
    });
  });

  it('tells apart names in guillemets and with universes', async () => {
    const texts = ['«a b»  : 1 = 1', '«a b» : 2 = 2', 'c.{u} (α : Type u) : 3 = 3', 'c (n : Nat) : 4 = 4'];
    const input = await file('quoted.jsonl', lines(...texts.map((text) => ({ statement: `theorem ${text}` }))));
    await prepare({ from: 'jsonl', input, name: 'quoted' });
    const statements = await problemSet(join(directory, 'problems', 'quoted'));
    expect(statements.map(({ name }) => name)).toEqual(['«a b»', '«a b_2»', 'c', 'c_2']);
    expect(statements[1]!.statement).toBe('theorem «a b_2» : 2 = 2');
    expect(statements[2]!.statement).toBe('theorem c.{u} (α : Type u) : 3 = 3');
  });

  it('leaves out a statement that is there under another name, and takes split, weight and header from options', async () => {
    const input = await file(
      'mine.jsonl',
      lines(
        { statement: 'theorem a : 1 = 1' },
        { statement: 'theorem b : 1  = 1' },
        { statement: 'theorem c : 2 = 2' },
        { statement: 'theorem d : 3 = 3', header: 'import Mathlib\n\naxiom f : Nat' },
      ),
    );
    const header = await file('header.lean', 'import Stp\n\nopen Stp\n');
    const options = { as: 'held-out', weight: 3, headerFile: header, name: 'mine', json: true } as const;
    const made = await prepare({ from: 'jsonl', input, ...options });
    expect(JSON.parse(made)).toMatchObject([{ name: 'mine', train: 0, heldOut: 3, repeated: 1, refusedHeaders: 1 }]);
    const statements = await problemSet(join(directory, 'problems', 'mine'));
    expect(statements[1]).toMatchObject({ name: 'c', weight: 3, split: 'held-out', header: 'import Stp\n\nopen Stp' });
  });

  it('cuts off every proof, and leaves out what the checker would refuse', async () => {
    const rows = [
      'theorem a (n : Nat) : n + 0 = n := by\n  -- your proof here\n  sorry',
      'theorem b (n : Nat) : n * 1 = n := by omega',
      'theorem c : letI n : Nat := 2; n + n = 4 := sorry',
      'theorem d : "a sorry b" ≠ "" := by sorry',
      'theorem e («x y» : Nat) : «x y» = 1 := by sorry',
      'import Init\nvariable (lemma : Nat)\ntheorem f : lemma = lemma := by sorry',
    ];
    const input = await file('proved.jsonl', lines(...rows.map((statement) => ({ statement }))));
    const made = await prepare({ from: 'jsonl', input, name: 'proved', json: true });
    expect(JSON.parse(made)).toMatchObject([
      {
        train: 4,
        skippedFor: {
          'the checker refuses the statement: has a string with the word sorry': 1,
          'the checker refuses the statement: has a quoted name': 1,
        },
      },
    ]);
    const statements = await problemSet(join(directory, 'problems', 'proved'));
    expect(statements.map(({ statement }) => statement)).toEqual([
      'theorem a (n : Nat) : n + 0 = n',
      'theorem b (n : Nat) : n * 1 = n',
      'theorem c : letI n : Nat := 2; n + n = 4',
      'theorem f : lemma = lemma',
    ]);
  });

  it('puts answers in their place, or leaves their rows out, and says so', async () => {
    const open = (name: string, comment: string) =>
      `abbrev ${name}_solution : ℕ := sorry\n${comment}\n/-- Find it. -/\ntheorem ${name} : 1 + 1 = ${name}_solution :=\nsorry`;
    const row = (name: string, formal: string) => ({
      name,
      formal_statement: formal,
      header: 'import Mathlib',
      split: '',
    });
    const rows = [
      row('a', open('a', '-- 2')),
      row('b', open('b', '-- 2')),
      row('c', open('c', '')),
      row('d', open('d', '-- by native_decide')),
      row('e', 'instance : Add ℕ := ⟨Nat.mul⟩\ntheorem e : 1 + 1 = 1 :='),
      row('f', 'theorem f : 1 = 1 :='),
    ];
    const input = await file('putnam.jsonl', lines(...rows));
    const made = await command('--from', 'putnam', '--input', input, '--json');
    expect(JSON.parse(String(made.stdout))).toMatchObject([
      {
        ...{ rows: 6, heldOut: 3, repeated: 1, skipped: 2, withDefinitions: 1, refusedHeaders: 1 },
        skippedFor: {
          'the open definition has no comment with its answer': 1,
          'its answer is not taken: header:3:28: native_decide has no place in a header': 1,
        },
        skippedRows: [
          `${input}:3: the open definition has no comment with its answer`,
          expect.stringContaining(`${input}:4: `),
        ],
      },
    ]);
    const statements = await problemSet(join(directory, 'problems', 'putnam'));
    expect(statements.map(({ name, header }) => [name, header])).toEqual([
      ['a', 'import Mathlib\n\nabbrev a_solution : ℕ := 2'],
      ['e', 'import Mathlib\n\ninstance : Add ℕ := ⟨Nat.mul⟩'],
      ['f', 'import Mathlib'],
    ]);
    const none = await prepare({ from: 'putnam', input, name: 'unanswered', answers: 'none' });
    expect(none).toContain('2 held-out statements of 6 rows (4 not used');
    expect(none).toContain('4 left out: asks for an answer, and --answers is none');
    const card = await readFile(join(directory, 'problems', 'unanswered', 'card.md'), 'utf8');
    expect(card).toContain('- left out, 4: asks for an answer, and --answers is none');
  });

  it('reads STP’s dataset configurations: a set each, with its weight', async () => {
    await file('a_Set.json', JSON.stringify([{ formal_statement: 'theorem a : 1 = 1 := by', split: 'x', tags: null }]));
    await file('b.jsonl', lines({ formal_statement: 'theorem b : 2 = 2 :=', header: 'import Mathlib' }));
    const input = await file(
      'mixed.json',
      JSON.stringify([
        { dataset_path: 'a_Set.json', weight: 1 },
        { dataset_path: 'b.jsonl', weight: 256, label: 'b' },
      ]),
    );
    const made = await prepare({ from: 'stp-config', input, root: directory });
    expect(made).toContain(`'data.problemSets=["a-set","b"]'`);
    const weights = await Promise.all(
      ['a-set', 'b'].map(async (name) => (await problemSet(join(directory, 'problems', name)))[0]!.weight),
    );
    expect(weights).toEqual([1, 256]);
  });

  it.each([
    ['has no letter or digit that a name may have', '数学.jsonl'],
    ['has a name longer than any set’s', `${'x'.repeat(65)}.jsonl`],
  ])('refuses a mix with a file that %s before it writes or removes anything', async (_, name) => {
    const out = await mkdtemp(join(directory, 'mix-'));
    const row = lines({ statement: 'theorem a : 1 = 1' });
    const kept = await file(join(basename(out), 'kept.jsonl'), row);
    await prepare({ from: 'jsonl', input: kept, name: 'kept', out });
    const path = await file(join(basename(out), name), row);
    const mix = [kept, path].map((dataset_path) => ({ dataset_path, weight: 2 }));
    const input = await file(join(basename(out), 'mix.json'), JSON.stringify(mix));
    await expect(prepare({ from: 'stp-config', input, out, replace: true })).rejects.toMatchObject({ code: 'STP1501' });
    expect((await problemSet(join(out, 'problems', 'kept')))[0]!.weight).toBe(1);
  });

  it('refuses a mix with a file named like a shipped set before it writes anything', async () => {
    const out = await mkdtemp(join(directory, 'shipped-'));
    const row = lines({ statement: 'theorem a : 1 = 1' });
    const datasets = [
      await file(join(basename(out), 'mine.jsonl'), row),
      await file(join(basename(out), 'nng.jsonl'), row),
    ];
    const mix = JSON.stringify(datasets.map((dataset_path) => ({ dataset_path, weight: 2 })));
    const input = await file(join(basename(out), 'mix.json'), mix);
    await expect(prepare({ from: 'stp-config', input, out })).rejects.toMatchObject({
      code: 'STP1002',
      advice: 'Rename the file nng.jsonl.',
    });
    expect(await readdir(out)).not.toContain('problems');
  });

  it('may make a shipped set in the folder of the shipped sets', async () => {
    const input = await file('shipped.jsonl', lines({ statement: 'theorem a : 1 = 1' }));
    await expect(prepare({ from: 'jsonl', input, name: 'nng', out: DATA })).rejects.toThrow('nng exists already');
  });

  it.each([
    [{ from: 'jsonl' }, 'STP1002', '--input is missing'],
    [{ from: 'jsonl', input: 'x', name: 'nng' }, 'STP1002', 'the name nng is taken by a problem set that is shipped'],
    [{ from: 'jsonl', input: 'x', name: 'nng', replace: true }, 'STP1002', 'the name nng is taken'],
    [{ from: 'words', input: 'x', name: 'tip2015' }, 'STP1002', 'the name tip2015 is taken'],
    [{ from: 'lean', name: 'isaplanner' }, 'STP1002', 'the name isaplanner is taken'],
    [{ from: 'jsonl', input: 'no/such/file' }, 'STP1405', 'cannot read'],
    [{ from: 'library', weight: 2 }, 'STP1002', '--weight has no effect with --from library'],
    [{ from: 'stp-config', input: 'x', headerFile: 'no/such/file' }, 'STP1405', 'cannot read'],
    [{ from: 'library', name: 'library' }, 'STP1002', 'the name library is taken'],
    [{ from: 'project', input: 'x', proofs: true, name: 'library' }, 'STP1002', 'the name library is taken'],
    [{ from: 'library', name: '../up' }, 'STP1002', '"../up" is no name of a set'],
    [{ from: 'leandojo', input: 'x', mathlib: 'y', split: 'hard' }, 'STP1002', 'LeanDojo has no split hard'],
  ])('%j is %s and says why', async (options, code, message) => {
    const error = await prepare(options).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StpError);
    expect((error as StpError).code).toBe(code);
    expect((error as StpError).message).toContain(message);
  });

  it.each([
    [['--split', 'tset'], 1, 'Is "tset" a word of its splits?'],
    [['--seed', '1'], 2, '--seed has no effect with --from minif2f'],
  ])('with %j exits %i', async (args, code, message) => {
    const made = await command('--from', 'minif2f', '--input', join(FIXTURES, 'minif2f.json'), ...args);
    expect(made.all).toContain(message);
    expect(made.exitCode).toBe(code);
  });
});

describe('a folder that is written whole or not at all', () => {
  let parent: string;
  let folder: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(directory, 'whole-'));
    folder = join(parent, 'set');
  });
  const named = (name: string) => (partial: string) => writeFile(join(partial, 'name'), name);

  it('keeps what another process finished meanwhile under its name', async () => {
    const late = writeFolder(folder, false, async (partial) => {
      await writeFolder(folder, false, named('first'));
      await named('late')(partial);
    });
    await expect(late).rejects.toMatchObject({ code: 'STP1002', message: `${folder} exists already` });
    expect(await readFile(join(folder, 'name'), 'utf8')).toBe('first');
    expect((await stat(folder)).mode & 0o777).toBe(0o777 & ~process.umask());
    expect(await readdir(parent)).toEqual(['set']);
  });

  it('is replaced by the one who finishes last, if several replace it at once', async () => {
    await writeFolder(folder, false, named('old'));
    const names = Array.from({ length: 8 }, (_, index) => `new-${index}`);
    await Promise.all(names.map((name) => writeFolder(folder, true, named(name))));
    expect(names).toContain(await readFile(join(folder, 'name'), 'utf8'));
    expect(await readdir(parent)).toEqual(['set']);
  });

  /** Starts a process that writes `folder` until it is killed. Returns it with the name of its partial folder. */
  async function writer() {
    const script = `
      const { writeFolder } = await import('@stp/datasets');
      await writeFolder(process.argv[1], false, async (partial) => {
        console.log(partial);
        await new Promise((resolve) => setTimeout(resolve, 600_000));
      });`;
    const child = execa(process.execPath, ['--input-type=module', '--eval', script, folder], {
      cwd: REPOSITORY,
      reject: false,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, partial: basename(String(chunk).trim()) };
  }

  it('removes what killed processes of this machine left, and nothing that is in use', async () => {
    const [killed, alive] = [await writer(), await writer()];
    killed.child.kill('SIGKILL');
    await killed.child;
    // Folders of another machine, one of which was not written to for two days.
    const [foreign, old] = ['00000001', '00000002'].map((machine) =>
      alive.partial.replace(/\.\w{8}\.\w{8}-/u, `.${machine}.${machine}-`),
    );
    const others = [foreign!, old!, '.set-mine', '.cache'];
    for (const name of others) await mkdir(join(parent, name, 'inner'), { recursive: true });
    const before = new Date(Date.now() - 2 * 86_400_000);
    for (const name of [join(old!, 'inner'), old!, '.set-mine']) await utimes(join(parent, name), before, before);
    await utimes(join(parent, foreign!), before, before);
    expect([foreign, old]).not.toContain(alive.partial);
    expect(await readdir(parent)).toContain(killed.partial);
    await writeFolder(join(parent, 'other'), false, named('other'));
    expect((await readdir(parent)).toSorted()).toEqual(
      [alive.partial, foreign!, '.set-mine', '.cache', 'other'].toSorted(),
    );
  });
});

describe('a data folder that cannot be written', () => {
  const rows = lines(
    ...Array.from({ length: 4_000 }, (_, index) => ({ statement: `theorem a${index} : ${index} = ${index}` })),
  );
  let full: string;
  beforeAll(async () => {
    full = await mkdtemp(join(directory, 'full-'));
  });

  /** Mounts a disk of 200 KiB at `full`; skips the test where this user may mount nothing. */
  function mountSmallDisk({ skip }: TestContext): void {
    const { failed, stderr } = execaSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', full], { reject: false });
    skip(failed, `no disk can be mounted: ${stderr}`);
    onTestFinished(() => void execaSync('umount', [full]));
  }

  it('that is full ends the command with a clear error, and nothing is left', async (context) => {
    const input = await file('many.jsonl', rows);
    mountSmallDisk(context);
    const made = await stp(['data', 'prepare', '--from', 'jsonl', '--input', input, '--name', 'many'], {
      env: { STP_DATA: full },
    });
    expect(made.exitCode).toBe(1);
    expect(made.stderr).toBe(
      `STP1406 disk is full: ${join(full, 'problems', 'many')} cannot be written: ENOSPC: no space left on device, write\nFree space there, or choose a folder on another disk. What was being written has been removed.`,
    );
    expect(await readdir(join(full, 'problems'))).toEqual([]);
  });

  it.for(['leandojo', 'llmstep'])('that is full ends an export as %s the same way', async (form, context) => {
    mountSmallDisk(context);
    const made = await stp(['data', 'export', '--to', join(full, 'ours'), '--as', form]);
    expect(made.exitCode).toBe(1);
    expect(made.stderr).toMatch(
      /^STP1406 disk is full: \S+\/ours cannot be written: ENOSPC: [^\n]*\nFree space [^\n]*$/u,
    );
    expect(await readdir(full)).toEqual([]);
  });

  it('by this user is named, with the variable that chooses it', async () => {
    const denied = join(directory, 'denied');
    await mkdir(denied, { mode: 0o555 });
    // Root may write anywhere unless it drops that right.
    const drop = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : [];
    const input = join(FIXTURES, 'minif2f.json');
    const [program, ...words] = [...drop, STP, 'data', 'prepare', '--from', 'minif2f', '--input', input];
    const made = await execa(program!, words, { cwd: REPOSITORY, reject: false, env: { STP_DATA: denied } });
    expect(made.exitCode).toBe(1);
    expect(made.stderr).toMatch(
      /^STP1401 store cannot be written: \S+ cannot be written: EACCES: [^\n]+\n[^\n]*STP_DATA[^\n]*$/u,
    );
    expect(made.stderr).toContain(join(denied, 'problems'));
  });
});

describe('a run of prepared sets', () => {
  const theorem = (name: string, type: string) => `theorem ${name} (n : Nat) : ${type}`;
  const secret = theorem('secret', 'n + 41 = 41 + n');
  /** The same with other names. */
  const copy = 'theorem copy (k : Nat) : k + 41 = 41 + k';
  const open = theorem('open_one', 'n + 1 = 1 + n');
  const record = (statement: string): LibraryTheorem => ({
    id: contentId(statement),
    name: 'Set.name',
    file: 'A.lean',
    line: 1,
    statement,
    proof: '  omega',
    header: '',
    premises: [],
  });
  let store: ObjectStore;
  let data: PreparedData;
  const runWith = async (name: string, set: Record<string, unknown>): Promise<[ObjectStore, PreparedData]> => {
    const own = await openStore(pathToFileURL(join(directory, 'runs', name)).href);
    const ports = { store: async () => own, sources: repositorySources(directory) };
    const config = resolveConfig({
      preset: 'smoke',
      set: { 'data.problemSets': ['ours', 'nng'], 'data.sft': 'small', 'prover.slots': false, ...set },
    });
    return [own, await new MockActivityEnvironment().run(prepareDataActivity(ports).prepareData, name, config)];
  };

  beforeAll(async () => {
    const rows = [
      { statement: secret, split: 'test' },
      { statement: copy, split: 'train', weight: 5 },
      { statement: theorem('kept', 'n * 1 = n'), split: 'train', weight: 5 },
    ];
    const input = await file('ours.jsonl', lines(...rows));
    await prepare({ from: 'jsonl', input, name: 'ours' });
    const asked = (lemma: string | null, easyStatement: string) => ({ lemma, easyStatement, easyProof: 'rfl' });
    await writeSftSet(join(directory, 'SFT', 'small'), false, {
      name: 'small',
      train: [
        proverExample(open, 'omega', 1),
        proverExample(copy, 'omega', 1),
        conjecturerExample(asked(null, open), secret, 1),
        conjecturerExample(asked(null, copy), open, 1),
        conjecturerExample(asked(copy, open), theorem('hard', 'n = n'), 1),
        conjecturerExample(asked(open, open), theorem('hard', 'n = n'), 1),
      ],
      heldOut: [proverExample(theorem('eval', 'n - n = 0'), 'simp', 1), proverExample(secret, 'omega', 1)],
      theorems: [record(open), record(copy)],
      heldOutTheorems: 2,
      card: () => '',
    });
    [store, data] = await runWith('plain', {});
  });

  it('searches the data folder first and the repository’s own sets after it', async () => {
    const train = await readAll(store, data.train, statementSchema);
    expect(new Set(train.map(({ labels }) => labels[0]))).toEqual(new Set(['ours', 'nng']));
    await expect(Array.fromAsync(repositorySources(directory).problemSet('nngg'))).rejects.toThrow(
      'there is no problem set nngg (did you mean nng?)',
    );
    await expect(repositorySources(directory).sftSet('smal')).rejects.toThrow(
      'there is no SFT set smal (did you mean small?)',
    );
  });

  it('keeps a held-out statement out of training statements and of every place of the SFT set, under any name', async () => {
    const key = statementKey(null, secret);
    const train = await readAll(store, data.train, statementSchema);
    expect(train.filter(({ labels }) => labels[0] === 'ours').map(({ name }) => name)).toEqual(['kept']);
    for (const part of [data.sft, data.sftEval])
      for (const example of await readAll(store, part, exampleSchema))
        expect(statementKeysOf(example)).not.toContain(key);
    expect(data.sft.count).toBe(2);
    expect(data.sftEval.count).toBe(1);
    expect(data.counts).toMatchObject({
      libraryProofs: 1,
      conjecturerExamples: 1,
      excludedForHeldOut: 4,
      trainExcludedForHeldOut: 1,
    });
  });

  it('keeps the table that lemmas are looked up in, without what is held out', async () => {
    expect((await readAll(store, data.theorems, libraryTheoremSchema)).map(({ statement }) => statement)).toEqual([
      open,
    ]);
  });

  it('tells the gate: neither it nor what the SFT set holds out may be a conjecture', async () => {
    const keys = (await store.get(data.heldOutKeys)).toString('utf8');
    expect(keys).toContain(statementKey(null, copy));
    expect(keys).toContain(statementKey(null, theorem('other', 'n - n = 0')));
    expect(keys).not.toContain(statementKey(null, open));
  });

  it('weighs statements by the schedule of their set, or as they were prepared', async () => {
    const weigh = async (weights: unknown) => {
      const [own, prepared] = await runWith(`weights-${JSON.stringify(weights).length}`, {
        'data.weights': JSON.stringify(weights),
      });
      return (await readAll(own, prepared.train, statementSchema)).find(({ name }) => name === 'kept')!.weight;
    };
    expect(await weigh({})).toBe(5);
    expect(await weigh({ ours: [{ fromRound: 1, weight: 9 }] })).toBe(5);
    expect(
      await weigh({
        ours: [
          { fromRound: 0, weight: 7 },
          { fromRound: 1, weight: 9 },
        ],
      }),
    ).toBe(7);
  });

  it('shows conjecturer examples the other way round where targets are asked for', async () => {
    const [own, prepared] = await runWith('targets', { 'conjectures.conditionOn.kind': 'unproved-target' });
    const examples = await readAll(own, prepared.sft, exampleSchema);
    expect(examples.map(({ prompt, target }) => [prompt, target])).toEqual([
      ['<prove>(n : Nat) : n + 1 = 1 + n<by>', 'omega'],
      ['<hard>(n : Nat) : n = n<easy>', '(n : Nat) : n + 1 = 1 + n'],
    ]);
  });
});

describe('proofs of a run added to a set', () => {
  it('are not of what the set holds out, once, in an order that is the seed’s', async () => {
    const statement = (type: string) => `theorem p (n : Nat) : ${type}`;
    const proved = (type: string, proof: string) => provedRecord(statement(type), proof);
    const base = [proverExample(statement('n = n'), 'rfl', 1)];
    const heldOut = [proverExample(statement('n - n = 0'), 'simp', 1)];
    const content = { name: 'base', train: base, heldOut, theorems: [], heldOutTheorems: 1, card: () => '' };
    await writeSftSet(join(directory, 'SFT', 'base'), false, content);
    const many = Array.from({ length: 30 }, (_, index) => proved(`n + ${index} = ${index} + n`, '  omega'));
    const rows = [proved('n = n', '  rfl'), proved('n - n = 0', '  omega'), ...many];
    const input = await file('proved.jsonl', lines(...rows, rows[4]));
    const made = JSON.parse(await prepare({ from: 'proofs', input, with: 'base', name: 'both', json: true }));
    expect(made.counts).toMatchObject({ proverExamples: 31, heldOutTheorems: 1 });
    expect(made.left).toEqual({ 'proofs of what the set holds out': 1 });
    const order = async () =>
      (await Array.fromAsync((await repositorySources(directory).sftSet('both')).train())).map(({ prompt }) => prompt);
    const first = await order();
    expect(new Set(first).size).toBe(31);
    expect(first).not.toEqual([...base, ...many].map((_, index) => first.toSorted()[index]));
    await prepare({ from: 'proofs', input, with: 'base', name: 'both', seed: 1, replace: true });
    expect((await order()).toSorted()).toEqual(first.toSorted());
    expect(await order()).not.toEqual(first);
    await expect(
      prepare({ from: 'proofs', input: await file('bad.jsonl', '{"a": 1}\n'), with: 'base', name: 'bad' }),
    ).rejects.toThrow('bad.jsonl:1: ');
  });
});

describe('matching weight', () => {
  const schedule = {
    a: [
      { fromRound: 24, weight: 128 },
      { fromRound: 2, weight: 4 },
    ],
    b: [{ fromRound: 0, weight: 2 }],
  };
  it.each([
    ['a', 0, 3],
    ['a', 1, 3],
    ['a', 2, 4],
    ['a', 23, 4],
    ['a', 24, 128],
    ['a', 1_000, 128],
    ['b', 0, 2],
    ['c', 50, 3],
  ])('of set %s in round %i is %d', (set, round, weight) => {
    expect(matchingWeight(schedule, { labels: [set, 'b'], weight: 3 }, round)).toBe(weight);
  });
});
