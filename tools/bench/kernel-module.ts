/**
 * Measures the second kernel on compiled proofs, in the way the judge of objects uses it: a batch of five kinds of
 * proofs, over Lean's core library and over all of Lean's modules; the first time, with a kept index of constants, and
 * with a warm judge.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '@stp/lean-kernel';
import { WarmModuleChecker } from '@stp/lean-kernel/testing';
import { checkModuleInThread } from '@stp/lean-kernel/thread';
import { resolveToolchain } from '@stp/lean-verifier';
import { execa } from 'execa';
import { workerSettings } from '../../workers/settings.ts';
import { cpuSeconds, row } from './measure.ts';

/** As many as a certificate file holds (`packages/lean-verifier/trust/certificate`). */
const PROOFS = 300;

export async function benchKernelModule(): Promise<void> {
  const { cacheDirectory } = workerSettings();
  const { executable } = await resolveToolchain({ cacheDirectory, install: 'never' });
  const folder = await mkdtemp(join(tmpdir(), 'bench-kernel-'));
  try {
    const { stdout: toolchainFolder } = await execa(executable, ['--print-libdir']);
    const batch = Array.from({ length: PROOFS }, (_, index) => proof(index)).join('\n');
    for (const header of ['Init', 'Lean']) {
      await writeFile(join(folder, 'Batch.lean'), `import ${header}\n${batch}`);
      await execa(executable, ['-o', 'Batch.olean', 'Batch.lean'], { cwd: folder });
      const request = {
        path: join(folder, 'Batch.olean'),
        searchPath: [toolchainFolder],
        toolchainFolder,
        indexFolder: join(folder, 'index'),
        fuel: DEFAULT_LIMITS.fuel,
      };
      const time = async (what: string, check: () => unknown): Promise<void> => {
        const before = cpuSeconds();
        await check();
        row(
          `kernel: ${PROOFS} proofs over \`import ${header}\`, ${what}, processor time`,
          cpuSeconds() - before,
          's',
          2,
        );
      };
      await time('index not made', () => new WarmModuleChecker().check(request));
      const checker = new WarmModuleChecker();
      await time('index kept', () => checker.check(request));
      await time('warm', () => checker.check(request));
      const report = await checkModuleInThread(request);
      const theorems = report.constants.filter(({ kind }) => kind === 'theorem');
      row(`kernel: accepted of its ${theorems.length} theorems`, theorems.filter(isAccepted).length, '');
    }
    row('kernel: resident memory after it', process.memoryUsage.rss() / 2 ** 20, 'MiB', 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isAccepted = ({ verdict }: { readonly verdict: string }): boolean => verdict === 'accepted';

function proof(index: number): string {
  const kinds = [
    `(a b : Nat) : a + b + ${index} = b + a + ${index} := by omega`,
    `(l : List Nat) : (l ++ []).length + ${index} = l.length + ${index} := by simp`,
    '(p q : Prop) (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩',
    `: ${index} * 3 % 7 = ${(index * 3) % 7} := by decide`,
    `(n : Nat) : n * 0 + ${index} = ${index} := by induction n with | zero => rfl | succ n ih => simp`,
  ];
  return `theorem kept${index} ${kinds[index % kinds.length]}`;
}
