/**
 * Proofs that reach their own theorem or what comes after it, each refused by its compiled object; and what a certificate
 * says of a proof that rests on an assumption. Real Lean; some fifteen seconds of a core.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkFile, limitClasses } from '@stp/lean-verifier';
import { claimOf, confirmProofs, coreEnvironment, noSandbox, scratchFolder } from '@stp/lean-verifier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proofAccess } from './access.ts';
import { type CompiledModuleStatements, compiledStatements } from './compiled-statements.ts';
import { ModuleGraph } from './module-graph.ts';

const core = await coreEnvironment();
const library = execFileSync(core.executable, ['--print-libdir'], { encoding: 'utf8' }).trim();
const folder = scratchFolder();
const modules = join(folder, 'modules');
const searchPath = [modules, folder, library];
const environment = { ...core, searchPath: [modules, folder], assumptionFolders: [modules] };
const scratchDirectory = join(folder, 'scratch');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(name: string, source: string): string {
  const path = join(folder, ...name.split('.'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.lean`, source);
  execFileSync(core.executable, [`--root=${folder}`, '-o', `${path}.olean`, `${path}.lean`], {
    cwd: folder,
    env: { ...process.env, LEAN_PATH: `${modules}:${folder}` },
  });
  return `${path}.olean`;
}

const NAMES = Array.from({ length: 22 }, (_, at) => `fact_${String(at).padStart(2, '0')}`);
const text = (at: number): string => `(n : Nat) : double n + ${at} = n + n + ${at}`;
let stated: CompiledModuleStatements;
beforeAll(async () => {
  mkdirSync(scratchDirectory, { recursive: true });
  compile('Shop.Basic', 'def double (n : Nat) : Nat := n + n\n');
  const facts = NAMES.map((name, at) => `@[simp] theorem ${name} ${text(at)} := rfl`);
  compile('Shop.Facts', ['import Shop.Basic', ...facts].join('\n'));
  compile('Shop.Above', `import Shop.Facts\ntheorem again ${text(21)} := fact_21 n\n`);
  compile('Shop.Beside', `import Shop.Basic\ntheorem twin ${text(21)} := rfl\n`);
  [stated] = (await Array.fromAsync(
    compiledStatements({
      graph: ModuleGraph.read(['Shop.Facts', 'Shop.Above'], [folder, library]),
      environment: { ...core, searchPath: [folder] },
      sandbox: noSandbox('a test'),
      scratchDirectory,
      searchPath: [folder, library],
      indexFolder: null,
      charsMax: 1_000,
      isPremiseModule: () => false,
      isAskedModule: (name) => name === 'Shop.Facts',
      isAskedName: () => true,
      isPrelude: false,
      assumptions: { prefix: 'Assumed.Shop', directory: modules },
      withPremises: false,
      width: 1,
    }),
  )) as [CompiledModuleStatements];
});

let proofs = 0;
/** Access of a proof of the theorem of this place, under these imports. */
function access(at: number, imports: readonly string[], proof: string) {
  const lines = [...imports.map((name) => `import ${name}`), `theorem proof ${text(at)} := ${proof}`];
  const path = compile(`Proof${proofs++}`, lines.join('\n'));
  const theorem = { name: NAMES[at]!, module: 'Shop.Facts', provedAs: 'proof' };
  return proofAccess({ path, searchPath, theorem, assumptions: stated.assumed, indexFolder: null });
}
const PART_1 = 'Assumed.Shop.Shop.Facts.Part1';
const PART_2 = 'Assumed.Shop.Shop.Facts.Part2';

describe('a proof', () => {
  it('may rest on earlier theorems of its module, and it is told on which', () => {
    expect(access(21, [PART_2], 'by have := fact_03 n; omega')).toEqual({
      objection: null,
      restsOn: ['fact_03'],
    });
    expect(access(15, [PART_1], 'rfl')).toEqual({ objection: null, restsOn: [] });
    expect(access(5, ['Shop.Basic'], 'rfl')).toEqual({ objection: null, restsOn: [] });
  });

  it('by the theorem itself is refused', () => {
    expect(access(21, ['Shop.Facts'], 'fact_21 n').objection).toMatch(/^it loads Shop\.Facts, which has the theorem/u);
  });

  it('by an alias is refused, in a module that knows the theorem and in one that does not', () => {
    expect(access(21, ['Shop.Above'], 'again n').objection).toMatch(/^it loads Shop\.Facts/u);
    expect(access(21, ['Shop.Beside'], 'twin n').objection).toBe('it mentions twin, which states the same');
  });

  it('by a later theorem is refused', () => {
    const objection = `it loads ${PART_1}, which states what does not come before the theorem`;
    expect(access(3, [PART_1], 'by have := fact_07 n; omega').objection).toBe(objection);
    expect(access(13, [PART_2], 'by have := fact_17 n; omega').objection).toContain(PART_2);
  });

  it('by simp with its own mark is refused', () => {
    expect(access(3, [PART_1], 'by simp').objection).toContain(PART_1);
    expect(access(21, ['Shop.Facts'], 'by simp').objection).toMatch(/^it loads Shop\.Facts/u);
  });

  it('that rests on nothing it could load is refused, not taken', () => {
    const path = compile('Lost', `import Shop.Beside\ntheorem proof ${text(21)} := rfl\n`);
    rmSync(join(folder, 'Shop', 'Beside.olean'));
    const theorem = { name: NAMES[21]!, module: 'Shop.Facts', provedAs: 'proof' };
    const found = proofAccess({ path, searchPath, theorem, assumptions: stated.assumed, indexFolder: null });
    expect(found.objection).toBe('it imports Shop.Beside, which cannot be read');
  });
});

describe('a certificate', () => {
  const judged = async (proofText: string, its: typeof core = environment, above = '') => {
    const [found] = await confirmProofs(`import ${PART_2}\n${above}`, [claimOf(` ${text(21)}`, proofText)], {
      place: { environment: its, workingDirectory: scratchDirectory },
      scratchDirectory,
      limits: limitClasses({ candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 }).big,
      writtenUnder: `import ${PART_2}\n${above}`,
      indexFolder: null,
      disagreementsFolder: null,
      signal: AbortSignal.timeout(280_000),
    });
    return found!;
  };
  const USING = '  have := fact_03 n\n  omega';

  it('names the assumptions that its proof rests on', async () => {
    const { kind, judgement } = await judged(USING);
    expect([kind, judgement?.assumed]).toEqual(['proved', ['fact_03']]);
    expect(judgement?.claim).toContain('against 1 earlier theorem of its module');
    expect((await judged('  rfl')).judgement).not.toHaveProperty('assumed');
  });

  it('is not given where the folder is none of assumptions, nor for an axiom of the file', async () => {
    const { assumptionFolders: _, ...none } = environment;
    const reason = 'rests on axioms that are not allowed: fact_03';
    expect(await judged(USING, none)).toMatchObject({ kind: 'rejected', reason });
    expect((await judged('  exact wish n', environment, `axiom wish ${text(21)}\n`)).kind).not.toBe('proved');
  });

  it('is not what a file that a person wrote gets for resting on assumptions', async () => {
    const path = join(folder, 'File.lean');
    writeFileSync(path, `import ${PART_2}\ntheorem used ${text(21)} := by\n${USING}\n`);
    const { assumptionFolders: _, ...ofCommands } = environment;
    const report = await checkFile(path, ofCommands, { scratchDirectory });
    expect(report.theorems[0]).toMatchObject({
      verdict: 'rejected',
      message: 'rests on axioms that are not allowed: fact_03',
    });
  });
});
