/** The second kernel on compiled proofs, as a certificate asks it: a batch of five kinds of proofs over Lean's own library. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { DEFAULT_LIMITS } from '../lean/kernel/budget.ts';
import { judgeInThread } from '../lean/kernel/olean/judge-in-thread.ts';
import { resolveToolchain } from '../lean/toolchain/resolve.ts';
import { workerSettings } from '../workers/settings.ts';
import { cpuSeconds, row } from './measure.ts';

/** As many as a certificate file holds (`activities/verify.ts`). */
const PROOFS = 300;

export async function benchKernelModule(): Promise<void> {
  const { cacheDirectory } = workerSettings();
  const { executable } = await resolveToolchain({ cacheDirectory, install: 'never' });
  const folder = await mkdtemp(join(tmpdir(), 'bench-kernel-'));
  try {
    await writeFile(join(folder, 'Batch.lean'), Array.from({ length: PROOFS }, (_, index) => proof(index)).join('\n'));
    await execa(executable, ['-o', 'Batch.olean', 'Batch.lean'], { cwd: folder });
    const { stdout } = await execa(executable, ['--print-libdir']);
    const before = cpuSeconds();
    const path = join(folder, 'Batch.olean');
    const report = await judgeInThread({ path, searchPath: [stdout.trim()], fuel: DEFAULT_LIMITS.fuel });
    const seconds = cpuSeconds() - before;
    const theorems = report.constants.filter(({ kind }) => kind === 'theorem');
    const accepted = theorems.filter(({ verdict }) => verdict === 'accepted').length;
    row(`kernel: a file of ${PROOFS} compiled proofs, processor time`, seconds, 's', 1);
    row('kernel: compiled proofs a second', PROOFS / seconds, '/s', 1);
    row(`kernel: accepted of its ${theorems.length} theorems`, accepted, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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
