/** `stp kernel FILE…`: prints the second kernel's verdict, each theorem's axioms, time and memory. */
import { printableJson, printableLine, printableText, StpError } from '@stp/base';
import type { KernelReport } from '@stp/lean-kernel';
import { checkInThread } from '@stp/lean-kernel/thread';

const EXIT_CODES = { accepted: 0, rejected: 1, declined: 2 } as const;

export interface KernelCommandOptions {
  readonly json?: boolean;
  readonly axioms: string;
  readonly statement?: readonly (readonly [name: string, file: string])[];
  readonly fuel: number;
}

/** Returns the exit code: 0 accepted, 1 rejected, 2 declined or not readable. */
export async function kernel(files: readonly string[], options: KernelCommandOptions): Promise<number> {
  try {
    const before = process.cpuUsage();
    const report = await checkInThread({
      files,
      axioms: options.axioms === 'all' ? null : options.axioms.split(',').map((name) => name.trim()),
      statements: options.statement ?? [],
      fuel: options.fuel,
    });
    const { user, system } = process.cpuUsage(before);
    const cpuSeconds = (user + system) / 1e6;
    const peakResidentBytes = process.resourceUsage().maxRSS * 1024;
    if (options.json) console.log(printableJson({ ...report, cpuSeconds, peakResidentBytes }));
    else for (const line of toText(report, cpuSeconds, peakResidentBytes)) console.log(printableLine(line));
    return EXIT_CODES[report.verdict];
  } catch (error) {
    // An error is no verdict on the files; exit code 1 would say that they are rejected.
    console.error(error instanceof StpError ? printableText(error.toText()) : error);
    return EXIT_CODES.declined;
  }
}

function toText(report: KernelReport, cpuSeconds: number, peakResidentBytes: number): string[] {
  const groups = new Map<string, string[]>();
  for (const { name, axioms } of report.theorems) {
    const key = axioms.length === 0 ? 'no axiom' : axioms.join(', ');
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [
    ...report.rejected.map(({ rule, message }) => `rejected  ${message} (rule: ${rule})`),
    ...report.declined.map(({ reason }) => `declined  ${reason}`),
    ...[...groups].map(([axioms, names]) => `theorems on ${axioms}: ${named(names)}`),
    `${report.verdict}: ${report.constants} constants, ${report.theorems.length} theorems, ${report.axioms.length} axioms (${report.axioms.join(', ') || 'none'}), ${cpuSeconds.toFixed(1)} s of processor time, ${Math.round(peakResidentBytes / 1e6)} MB`,
  ];
}

/** Lists up to five names; `--json` lists all. */
function named(names: readonly string[]): string {
  return names.length <= 5 ? names.join(', ') : `${names.length}, such as ${names.slice(0, 3).join(', ')}`;
}
