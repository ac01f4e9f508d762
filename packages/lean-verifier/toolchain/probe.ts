/**
 * Asks a `lean` executable for its version and tests whether it checks proofs: it must accept a true theorem and reject
 * a false one. Also finds out whether its library contains proofs.
 */
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { folderMarks, remember } from '@stp/base/files';
import { z } from 'zod';
import { runCommand } from './run-command.ts';

/** A first start reads hundreds of megabytes from a cold disk. An elan shim without its toolchain never answers. */
const PROBE_TIMEOUT_MS = 60_000;

/** The last line asks for the axioms of a library theorem, which lists the theorem itself if its proof is missing. */
const PROBE_SCRIPT = `theorem stp_probe_true (a b : Nat) (h : a < b) : a + 1 ≤ b := by omega
theorem stp_probe_false (a b : Nat) (h : a < b) : a + 2 ≤ b := by omega
#print axioms Nat.le_antisymm
`;
const FALSE_THEOREM_LINE = 2;
const AXIOMS_LINE = 3;

/** One line of `lean --json`. */
const messageSchema = z.object({
  severity: z.enum(['error', 'warning', 'information']),
  pos: z.object({ line: z.number().int() }),
  data: z.string(),
});
type Message = z.infer<typeof messageSchema>;

const LIBRARY_THEOREM_AS_AXIOM = /axioms: \[.*\bNat\.le_antisymm\b/;
const VERSION_LINE = /^Lean \(version ([0-9]+\.[0-9]+\.[0-9]+[^,)]*)/m;

const workingLeanSchema = z.strictObject({
  /** For example `4.35.0`. */
  leanVersion: z.string(),
  /** The complete line of `lean --version`, with platform and commit. */
  versionLine: z.string(),
  /** Whether `#print axioms` lists library theorems, because their proofs are missing. */
  libraryWithoutProofs: z.boolean(),
});
export type WorkingLean = z.infer<typeof workingLeanSchema>;

const worksSchema = z.strictObject({ works: z.literal(true), lean: workingLeanSchema });

export type ProbeResult = z.infer<typeof worksSchema> | { readonly works: false; readonly reason: string };

function failed(reason: string): ProbeResult {
  return { works: false, reason };
}

function parseMessages(stdout: string): Message[] | undefined {
  try {
    const lines = stdout.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => messageSchema.parse(JSON.parse(line)));
  } catch {
    return undefined; // not the output of `lean --json`; the caller reports that
  }
}

/** Returns what is wrong with the answers to the probe script, or undefined if they are right. */
function wrongAnswer(messages: readonly Message[]): string | undefined {
  const errors = messages.filter(({ severity }) => severity === 'error');
  const unexpected = errors.find(({ pos }) => pos.line !== FALSE_THEOREM_LINE);
  if (unexpected !== undefined) return `it does not prove a true theorem: ${unexpected.data.split('\n')[0]}`;
  if (errors.length === 0) return 'it accepts a false theorem';
  return messages.some(({ pos }) => pos.line === AXIOMS_LINE) ? undefined : 'it does not answer #print axioms';
}

export interface ProbeOptions {
  readonly cacheDirectory: string;
  /** The complete environment of the executable. */
  readonly environment: NodeJS.ProcessEnv;
  /** Probe the executable even if its result is cached. */
  readonly anew?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Probes the executable and caches the result until the files beside it change.
 * @throws only the signal's reason
 */
export async function probeLean(executable: string, options: ProbeOptions): Promise<ProbeResult> {
  const { cacheDirectory, environment, anew, signal } = options;
  const key = [
    'lean',
    PROBE_SCRIPT,
    executable,
    await folderMarks(dirname(await realpath(executable).catch(() => '.'))),
  ];
  const probed = await remember({ cacheDirectory, key, schema: worksSchema, anew }, () =>
    ask(executable, environment, signal),
  );
  return probed as ProbeResult;
}

/** Runs the executable twice, about half a second each. */
async function ask(executable: string, environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<ProbeResult> {
  // Run outside any project, whose toolchain file could choose another Lean than checks use.
  const options = { environment, timeoutMs: PROBE_TIMEOUT_MS, cwd: tmpdir(), signal };
  const version = await runCommand(executable, ['--version'], options);
  if (!version.ok) return failed(version.reason);
  const leanVersion = VERSION_LINE.exec(version.stdout)?.[1];
  if (leanVersion === undefined) return failed('it does not say that it is Lean 4');
  const check = await runCommand(executable, ['--json', '--stdin'], { ...options, input: PROBE_SCRIPT });
  const messages = parseMessages(check.stdout);
  if (messages === undefined || messages.length === 0) {
    return failed(`Lean ${leanVersion} does not check a script: ${check.reason || 'no messages'}`);
  }
  const wrong = wrongAnswer(messages);
  if (wrong !== undefined) return failed(`Lean ${leanVersion} is not usable: ${wrong}`);
  const axioms = messages.find(({ pos }) => pos.line === AXIOMS_LINE);
  return {
    works: true,
    lean: {
      leanVersion,
      versionLine: version.stdout.trim(),
      libraryWithoutProofs: LIBRARY_THEOREM_AS_AXIOM.test(axioms?.data ?? ''),
    },
  };
}
