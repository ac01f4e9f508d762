/**
 * Measures the second kernel on a part of Lean's `Init` (3,653 constants): processor time, memory, steps of the
 * costliest declaration, and ten passes over the same tables. `node tools/bench/kernel.ts FILE PASSES` prints figures
 * as JSON.
 */
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DEFAULT_LIMITS, STANDARD_AXIOMS, Terms } from '@stp/lean-kernel';
import { checkExport } from '@stp/lean-kernel/testing';
import { checkInThread } from '@stp/lean-kernel/thread';
import { execa } from 'execa';
import { benchKernelModule } from './kernel-module.ts';
import { cpuSeconds, row } from './measure.ts';

const EXPORT = join(import.meta.dirname, '../../packages/lean-kernel/testing/exports/init-medium.ndjson.gz');
const PASSES = 10;

interface KernelFigures {
  readonly verdict: string;
  readonly theorems: number;
  readonly cpuSeconds: number;
  /** Peak memory after each pass, since the process began. */
  readonly residentBytesMax: readonly number[];
  readonly stepsMost: number;
  readonly nodesMost: number;
}

/** Checks the file in a fresh process, several times. */
export async function measureKernel(file: string, passes: number): Promise<KernelFigures> {
  const { stdout } = await execa(process.execPath, [fileURLToPath(import.meta.url), file, String(passes)], {
    stderr: 'inherit',
  });
  return JSON.parse(stdout) as KernelFigures;
}

export async function benchKernel(): Promise<void> {
  const once = await measureKernel(EXPORT, 1);
  row('kernel: part of Init, processor time', once.cpuSeconds, 's', 1);
  row('kernel: part of Init, theorems a second', once.theorems / once.cpuSeconds, '/s');
  row('kernel: part of Init, peak memory', once.residentBytesMax[0]! / 1e6, 'MB');
  row('kernel: steps of the costliest declaration', once.stepsMost, '');
  row('kernel: expressions of the costliest declaration', once.nodesMost, '');
  const many = await measureKernel(EXPORT, PASSES);
  row(`kernel: ${PASSES} passes, processor time of one`, many.cpuSeconds / PASSES, 's', 1);
  row('kernel: peak memory after the 2nd pass', many.residentBytesMax[1]! / 1e6, 'MB');
  row(`kernel: peak memory after the ${PASSES}th pass`, many.residentBytesMax.at(-1)! / 1e6, 'MB');
  await benchKernelModule();
}

async function measureHere(file: string, passes: number): Promise<KernelFigures> {
  const before = cpuSeconds();
  const residentBytesMax: number[] = [];
  let report = null;
  const request = { files: [file], axioms: STANDARD_AXIOMS, statements: [], fuel: DEFAULT_LIMITS.fuel };
  // One pass works like `bin/stp kernel`. Several passes share the tables, to see whether these grow.
  const terms = passes === 1 ? null : new Terms();
  for (let pass = 0; pass < passes; pass++) {
    report = terms === null ? await checkInThread(request) : await checkExport(request, terms);
    residentBytesMax.push(process.resourceUsage().maxRSS * 1024);
  }
  return {
    verdict: report?.verdict ?? 'none',
    theorems: report?.theorems.length ?? 0,
    cpuSeconds: cpuSeconds() - before,
    residentBytesMax,
    stepsMost: report?.steps.most ?? 0,
    nodesMost: report?.nodes.most ?? 0,
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file, passes] = process.argv.slice(2);
  console.log(JSON.stringify(await measureHere(file ?? EXPORT, Number(passes ?? 1))));
}
