/**
 * Problem sets from compiled modules, made by the command: two modules of Lean's own library, and the example project. Real
 * Lean; about half a minute of a core.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Statement, statementSchema } from '@stp/config/records';
import { STATE_MARKER } from '@stp/config/words';
import { openSftSet, readSetOrigin } from '@stp/datasets';
import { screenHeader, screenStatement } from '@stp/lean-verifier';
import { coreEnvironment } from '@stp/lean-verifier/testing';
import { proverExample } from '@stp/selfplay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositorySources } from '../../workers/sources.ts';
import { stp } from '../support/stp.ts';

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'your-project');
const { executable } = await coreEnvironment();
let directory: string;
let project: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-compiled-'));
  project = join(directory, 'project');
  await cp(EXAMPLE, project, { recursive: true, filter: (path) => !path.endsWith('.lake') });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const prepare = (...args: string[]) => stp(['data', 'prepare', ...args], { env: { STP_DATA: directory } });
const build = () => execFileSync(join(project, 'build.sh'), [executable]);
const statementsOf = async (set: string): Promise<Statement[]> => {
  const text = await readFile(join(directory, 'problems', set, 'statements.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => statementSchema.parse(JSON.parse(line)));
};

describe('bin/stp data prepare --from lean', () => {
  it('states theorems of two modules under headers that do not know them', { timeout: 300_000 }, async () => {
    const made = await prepare('--from', 'lean', '--modules', 'Init.Data.Bool,Init.Data.List.Range', '--name', 'two');
    expect(made).toMatchObject({ exitCode: 0 });
    expect(made.stdout).toMatch(/100\.0 % of \d+ eligible theorems|9[5-9]\.\d % of \d+ eligible theorems/u);
    const statements = await statementsOf('two');
    expect(statements.length).toBeGreaterThan(150);
    const one = statements.find(({ name }) => name === 'Bool.and_comm')!;
    expect(one.statement).toBe('theorem Bool.and_comm (x y : Bool) : (x && y) = (y && x)');
    expect(one.labels).toEqual(['two', 'Bool', 'Init.Data.Bool']);
    for (const { header, statement } of statements) {
      expect(header!.split('\n')[0]).toBe('prelude');
      expect(header).not.toMatch(/^import Init\.Data\.(?:Bool|List\.Range)$|^import Init$/mu);
      expect(screenHeader(header!)).toMatchObject({ accepted: true });
      expect(screenStatement(statement)).toMatchObject({ accepted: true });
    }
    expect(new Set(statements.map(({ split }) => split))).toEqual(new Set(['train', 'held-out']));
    const origin = await readSetOrigin(join(directory, 'problems', 'two'));
    expect(origin).toMatchObject({ project: null, split: 'random' });
    const corpus = await repositorySources(directory).premises('two');
    const at = new Map(corpus.map(({ path }, index) => [path, index]));
    for (const { path, imports } of corpus) expect(imports.every((one) => at.get(one)! < at.get(path)!)).toBe(true);
    const premises = (module: string) => corpus[at.get(module)!]!.premises;
    expect(premises('Init.Data.Bool').map(({ code }) => code)).toContain(
      'theorem Bool.and_comm (x y : Bool) : (x && y) = (y && x)',
    );
    // The theorem is stated nowhere else, because it is about a definition of its own module.
    expect(premises('Init.Prelude').map(({ full_name }) => full_name)).toContain('Nat.zero_le');
    const card = await readFile(join(directory, 'problems', 'two', 'card.md'), 'utf8');
    expect(card).toContain('left out: deprecated');
  });

  it('says what is wrong with its options', async () => {
    for (const [args, message] of [
      [['--modules', 'Init.Data.Lisp'], 'there is no module Init.Data.Lisp'],
      [['--split', 'valid'], 'there is no split valid of compiled modules'],
      [['--mathlib', 'x'], '--mathlib has no effect with --from lean'],
    ] as const) {
      const { exitCode, stderr } = await prepare('--from', 'lean', '--name', 'none', ...args);
      expect([exitCode, stderr]).toEqual([expect.any(Number), expect.stringContaining(message)]);
      expect(exitCode).not.toBe(0);
    }
  });
});

describe('bin/stp data prepare --from project', () => {
  it('says that a project is not built, and by which Lean another one was to be', async () => {
    const unbuilt = await prepare('--from', 'project', '--input', project);
    expect(unbuilt.stderr).toContain('it is not built');
    build();
    await writeFile(join(project, 'lean-toolchain'), 'leanprover/lean4:v4.9.0\n');
    const other = await prepare('--from', 'project', '--input', project);
    expect(other.stderr).toContain('it asks for leanprover/lean4:v4.9.0, the Lean in use is');
    await cp(join(EXAMPLE, 'lean-toolchain'), join(project, 'lean-toolchain'));
  });

  it('states all theorems of the example, and holds out what uses premises of its own', {
    timeout: 300_000,
  }, async () => {
    const made = await prepare('--from', 'project', '--input', project, '--name', 'shelf', '--split', 'novel-premises');
    expect(made).toMatchObject({ exitCode: 0 });
    const statements = await statementsOf('shelf');
    expect(statements).toHaveLength(40);
    const heldOut = statements.filter(({ split }) => split === 'held-out').length;
    expect(heldOut).toBeGreaterThan(0);
    expect(heldOut).toBeLessThan(20);
  });

  it('refuses a set that was made with another Lean, or of a project that was built anew', async () => {
    const origin = (await readSetOrigin(join(directory, 'problems', 'shelf')))!;
    const read = (lean: { version: string; project?: string }) =>
      Array.fromAsync(repositorySources(directory, lean).problemSet('shelf'));
    const same = { version: origin.lean, project: origin.project! };
    await expect(read(same)).resolves.toHaveLength(40);
    await expect(read({ ...same, version: 'Lean 4.99.0' })).rejects.toThrow('the Lean in use is Lean 4.99.0');
    await expect(read({ ...same, project: 'anew' })).rejects.toThrow('was built anew');
  });

  it('makes SFT sets of the proofs in its sources, traced there', {
    timeout: 300_000,
  }, async () => {
    const made = await prepare('--from', 'project', '--input', project, '--name', 'proved', '--proofs', '--json');
    expect(made).toMatchObject({ exitCode: 0 });
    const { proofs: counts } = JSON.parse(String(made.stdout)) as { proofs: Record<string, number> };
    const statements = await statementsOf('proved');
    const heldOut = new Set(statements.flatMap(({ name, split }) => (split === 'held-out' ? [name] : [])));
    expect(heldOut.size).toBeGreaterThan(0);
    const [whole, steps] = await Promise.all(
      ['proved', 'proved-steps'].map((set) => openSftSet(join(directory, 'SFT', set))),
    );
    const theorems = await Array.fromAsync(whole!.theorems());
    expect(counts).toEqual({
      withoutProof: 0,
      untraced: expect.any(Number),
      traced: expect.any(Number),
      holdingBelowHeader: expect.any(Number),
    });
    expect(counts.untraced).toBeLessThan(4);
    expect(theorems.length + whole!.manifest.counts.heldOutTheorems).toBe(counts.traced);
    // These proofs name nothing of their own file.
    expect(counts.holdingBelowHeader).toBeGreaterThan(8);
    expect(counts.holdingBelowHeader).toBeLessThan(counts.traced!);
    expect(theorems.filter(({ name }) => heldOut.has(name))).toEqual([]);
    const examples = await Array.fromAsync(whole!.train());
    expect(examples.map(({ prompt }) => prompt).sort()).toEqual(
      theorems.map(({ statement, proof }) => proverExample(statement, proof, 1).prompt).sort(),
    );
    // Short names of the source are full names in statements and states.
    expect(examples.some(({ target }) => target.includes('Shelf.'))).toBe(true);
    const tactics = await Array.fromAsync(steps!.train());
    expect(tactics.length).toBeGreaterThan(theorems.length);
    for (const { prompt } of tactics) {
      expect(prompt).toContain(STATE_MARKER);
      expect(prompt).not.toMatch(/(?<!Shelf\.)\btotal\b/u);
    }
    const other = await prepare('--from', 'lean', '--proofs', '--name', 'none');
    expect(other.stderr).toContain('--proofs has no effect with --from lean');
  });

  it('leaves out a damaged module with what imports it, and makes the rest', { timeout: 300_000 }, async () => {
    await writeFile(join(project, '.lake/build/lib/lean/Shelf/Lists.olean'), 'damaged');
    const made = await prepare('--from', 'project', '--input', project, '--name', 'rest');
    expect(made).toMatchObject({ exitCode: 0 });
    expect(made.stdout).toContain('module left out: Shelf.Lists: ');
    expect(made.stdout).toContain('module left out: Shelf: it imports Shelf.Lists');
    expect(await statementsOf('rest')).toHaveLength(20);
    const origin = (await readSetOrigin(join(directory, 'problems', 'rest')))!;
    const lean = { version: origin.lean, project: origin.project! };
    expect(await Array.fromAsync(repositorySources(directory, lean).problemSet('rest'))).toHaveLength(20);
  });
});
