/**
 * Tests whether the sandbox holds. A small program inside tries actions that must fail: reading a secret file, finding
 * one of our variables, reaching a server on this machine, writing outside its /tmp, seeing other processes, leaving a
 * child behind. Then Lean must start inside and tell a true theorem from a false one. `open-sandbox.ts` remembers a
 * passed probe.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isThere, RUN_MARK } from '@stp/base/files';
import { z } from 'zod';
import { type CommandResult, runCommand } from '../../toolchain/run-command.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { leanAccess } from './access.ts';
import type { Sandbox, SandboxAccess, SandboxFacts } from './sandbox.ts';

const PROGRAM = fileURLToPath(new URL('./probe-program.ts', import.meta.url));
const PROGRAM_TIMEOUT_MS = 30_000;
const LEAN_TIMEOUT_MS = 60_000;
const CHILD_SECONDS = 120;
const POLL_MS = 20;
/** Maximum wait until running processes appear, or ended ones disappear. */
const WAIT_MS_MAX = 2_000;
/** Minimum number of checks in that time. On a stalled machine time passes while no process makes progress. */
const LOOKS_MIN = 80;
/** Processes that are visible outside by their mark: two of bubblewrap, the program, and its child. */
const PROCESSES_MIN = 4;
/** Processes that are visible inside: the same without bubblewrap's first, plus one or two shells. */
const PROCESSES_MAX = 8;
/** Variables that the probe passes, that bubblewrap sets, or that a shell adds. */
const VARIABLES = new Set([RUN_MARK, 'PATH', 'HOME', 'TMPDIR', 'PWD', 'OLDPWD', 'SHLVL', '_']);

const LEAN_SCRIPT = 'theorem stp_true : 1 + 1 = 2 := rfl\ntheorem stp_false : 1 + 1 = 3 := rfl\n';

const ON_SECOND_LINE = /"pos":\{"column":\d+,"line":2\}/;

const reportSchema = z.strictObject({
  readSecret: z.boolean(),
  environment: z.array(z.string()).max(1_000),
  namespaces: z.record(z.string(), z.string()),
  reachedServer: z.boolean(),
  interfaces: z.array(z.string()).max(1_000),
  written: z.array(z.string()).max(100),
  wroteToPrivate: z.boolean(),
  wroteToWritable: z.boolean(),
  processes: z.number().int(),
  startedChild: z.boolean(),
  seccomp: z.number().int(),
});
type ProbeReport = z.infer<typeof reportSchema>;

/**
 * Returns the problems of the sandbox, each in a few words; empty if it holds.
 * @throws the signal's reason
 */
export async function probeSandbox(
  sandbox: Sandbox,
  lean: Pick<LeanEnvironment, 'executable' | 'searchPath'>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const attempted = await attemptEscapes(sandbox, signal);
  if ('problem' in attempted) return [attempted.problem];
  const problems = [...judge(attempted.report, sandbox.facts, await outsideNamespaces()), ...attempted.problems];
  if (problems.length > 0) return problems;
  const leanProblem = await leanStartsInside(sandbox, lean, signal);
  return leanProblem === null ? [] : [leanProblem];
}

type Attempted =
  | { readonly problem: string }
  | { readonly report: ProbeReport /** What is seen from outside. */; readonly problems: readonly string[] };

/**
 * Runs the program inside the sandbox. Returns its report and the problems seen from outside during and after the run.
 */
async function attemptEscapes(sandbox: Sandbox, signal?: AbortSignal): Promise<Attempted> {
  const folder = await mkdtemp(join(tmpdir(), 'stp-probe-'));
  const server = createServer((socket) => socket.end());
  try {
    const writable = join(folder, 'writable');
    const secretFile = join(folder, 'secret');
    await mkdir(writable);
    await writeFile(secretFile, 'a decoy', { mode: 0o600 });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const mark = `probe-${randomBytes(8).toString('hex')}`;
    const forbiddenFiles = [folder, dirname(PROGRAM), process.cwd(), homedir()].map((path) =>
      join(path, `stp-${mark}`),
    );
    const attempts = {
      secretFile,
      port: (server.address() as AddressInfo).port,
      forbiddenFiles,
      writableFolder: writable,
      childSeconds: CHILD_SECONDS,
    };
    const needs = { readOnly: [process.execPath, PROGRAM], writable: [writable], workingDirectory: writable };
    const command = [process.execPath, '--no-warnings', PROGRAM, JSON.stringify(attempts)];
    const running = run(sandbox, command, needs, PROGRAM_TIMEOUT_MS, { mark, signal });
    const ended = running.then(() => true);
    await Promise.race([until(() => isThere(join(writable, 'ready')), PROGRAM_TIMEOUT_MS), ended]);
    const areSeen = await Promise.race([until(async () => (await marked(mark)).length >= PROCESSES_MIN), ended]);
    await writeFile(join(writable, 'go-on'), '');
    const result = await running;
    const report = result.ok ? parseReport(result.stdout) : null;
    if (report === null) return { problem: `the probe did not run: ${result.reason || 'it gave no output'}` };
    const problems = areSeen ? [] : ['processes in it do not carry the run mark, so no clean-up finds them'];
    for (const path of forbiddenFiles) if (await removed(path)) problems.push(`${path} can be written`);
    if (!(await until(async () => (await marked(mark)).length === 0))) problems.push('a child outlives the sandbox');
    for (const pid of await marked(mark)) end(pid);
    return { report, problems };
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended meanwhile.
  }
}

/** Tests whether the file exists, and removes it. */
function removed(path: string): Promise<boolean> {
  return rm(path).then(
    () => true,
    () => false,
  );
}

function parseReport(text: string): ProbeReport | null {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Checks every action that a sandbox must refuse. */
function judge(report: ProbeReport, facts: SandboxFacts, outside: Readonly<Record<string, string>>): string[] {
  const shared = Object.keys(outside).filter((name) => report.namespaces[name] === outside[name]);
  const variables = report.environment.filter((name) => !VARIABLES.has(name));
  const problems: (string | false)[] = [
    report.readSecret && 'a file outside can be read',
    variables.length > 0 && `variables can be read that nobody gave it: ${variables.slice(0, 5).join(', ')}`,
    report.reachedServer && 'a server on this machine can be reached',
    report.interfaces.length > 0 && `there are network devices: ${report.interfaces.join(', ')}`,
    report.written.length > 0 && `files can be made in ${report.written.join(', ')}`,
    !report.wroteToPrivate && 'there is no private /tmp',
    !report.wroteToWritable && 'a folder that is to be written to cannot be',
    shared.length > 0 && `these namespaces are those outside: ${shared.join(', ')}`,
    report.processes > PROCESSES_MAX && `${report.processes} processes can be seen`,
    facts.description.includes('seccomp') && report.seccomp !== 2 && 'the filter of system calls is not in force',
    !report.startedChild && 'no child could be started, so nothing was learnt of its end',
  ];
  return problems.filter((problem) => problem !== false);
}

async function outsideNamespaces(): Promise<Record<string, string>> {
  const names = ['user', 'pid', 'net', 'ipc', 'uts', 'mnt'];
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readlink(`/proc/self/ns/${name}`)])),
  );
}

async function leanStartsInside(
  sandbox: Sandbox,
  lean: Pick<LeanEnvironment, 'executable' | 'searchPath'>,
  signal?: AbortSignal,
): Promise<string | null> {
  const needs = leanAccess(lean, tmpdir());
  const command = [lean.executable, '--json', '--stdin'];
  const { ok, exitCode, stdout, reason } = await run(sandbox, command, needs, LEAN_TIMEOUT_MS, {
    signal,
    input: LEAN_SCRIPT,
  });
  const errors = stdout.split('\n').filter((line) => line.includes('"severity":"error"'));
  if (!ok && exitCode === 1 && errors.length > 0 && errors.every((line) => ON_SECOND_LINE.test(line))) return null;
  return `Lean does not work in it: ${reason || 'it accepts a false theorem'}`;
}

function run(
  sandbox: Sandbox,
  command: readonly string[],
  needs: SandboxAccess,
  timeoutMs: number,
  options: { readonly mark?: string; readonly signal?: AbortSignal | undefined; readonly input?: string },
): Promise<CommandResult> {
  const [program, ...parameters] = sandbox.wrap(command, needs);
  const { mark, signal, input } = options;
  return runCommand(program!, parameters, {
    environment: { PATH: process.env.PATH, ...(mark === undefined ? {} : { [RUN_MARK]: mark }) },
    timeoutMs,
    signal,
    ...(input === undefined ? {} : { input }),
  });
}

/** Ids of living processes with this mark. */
async function marked(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')));
  const hasMark = environments.map((text) => text.split('\0').includes(`${RUN_MARK}=${mark}`));
  return pids.filter((_, index) => hasMark[index]).map(Number);
}

/** Waits for the condition; false if it is still false after the maximum wait. */
async function until(condition: () => Promise<boolean>, waitMsMax = WAIT_MS_MAX): Promise<boolean> {
  const startedMs = performance.now();
  for (let looks = 1; ; looks += 1) {
    if (await condition()) return true;
    if (looks >= LOOKS_MIN && performance.now() - startedMs > waitMsMax) return false;
    await sleep(POLL_MS);
  }
}
