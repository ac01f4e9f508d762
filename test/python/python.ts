/**
 * The Pythons that comparisons with other implementations run in, made by `npm run test:python` under `.cache`: one with current
 * packages, one with what exports encoder-decoders, which wants older ones, and one with trackers. Without them the comparisons
 * are skipped, and say so.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';

const CACHE = join(import.meta.dirname, '..', '..', '.cache');
export const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
/** PyTorch takes seconds to load, and minutes on a cold disk. */
const TIME_MS_MAX = 300_000;
/** Six gigabytes. */
const INSTALL_MS_MAX = 1_800_000;
const OUTPUT_CHARS_MAX = 64 * 1024 * 1024;

class PythonEnvironment {
  readonly interpreter: string;
  readonly #name: string;
  readonly #requirements: string;
  /** Copy of the requirements, written when all of them are installed. */
  readonly #installed: string;

  readonly #isGiven: boolean;

  /** `given`: a Python that has the packages already, in whatever versions. */
  constructor(name: string, requirements: string, given?: string) {
    this.#name = name;
    this.#requirements = requirements;
    this.#installed = join(CACHE, name, 'installed.txt');
    this.#isGiven = given !== undefined;
    this.interpreter = given ?? join(CACHE, name, 'bin', 'python');
  }

  /** Whether everything is installed, in the versions asked for now. */
  get isInstalled(): boolean {
    if (this.#isGiven) return true;
    return (
      existsSync(this.#installed) && readFileSync(this.#installed, 'utf8') === readFileSync(this.#requirements, 'utf8')
    );
  }

  /** Installs everything anew. Throws where there is no Python, or pip cannot get the packages. */
  async install(): Promise<void> {
    const python = systemPython();
    if (python === null) throw new Error('there is no python3: install Python 3.11 or later, or set STP_PYTHON');
    console.log(`Installing into .cache/${this.#name} with ${python.version}; this takes about two minutes.`);
    rmSync(join(CACHE, this.#name), { recursive: true, force: true });
    const options = { stdio: 'inherit', timeout: INSTALL_MS_MAX } as const;
    await execa(python.command, ['-m', 'venv', join(CACHE, this.#name)], options);
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--requirement', this.#requirements];
    await execa(this.interpreter, ['-m', 'pip', 'install', ...quiet], options);
    copyFileSync(this.#requirements, this.#installed);
  }

  /** True, after saying why, where a comparison cannot run here. */
  skips(what: string): boolean {
    if (this.isInstalled) return false;
    console.log(`skipped: ${what} (no Python packages to compare with; npm run test:python installs them)`);
    return true;
  }

  /** Runs a script of this folder: JSON in on standard input, JSON out on standard output. */
  async run(script: string, input: unknown, threads = 1): Promise<unknown> {
    const { stdout } = await execa(this.interpreter, [join(import.meta.dirname, script)], {
      input: JSON.stringify(input),
      timeout: TIME_MS_MAX,
      maxBuffer: OUTPUT_CHARS_MAX,
      env: {
        OMP_NUM_THREADS: String(threads),
        HF_HUB_OFFLINE: '1',
        TRANSFORMERS_VERBOSITY: 'error',
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    return JSON.parse(stdout);
  }
}

/** Images for GPUs come with a PyTorch of their own: `STP_TEST_PYTHON` names the Python that has it. */
const current = new PythonEnvironment('python-venv', REQUIREMENTS, process.env.STP_TEST_PYTHON);
/** With `optimum-cli`. */
export const optimum = new PythonEnvironment('optimum-venv', join(import.meta.dirname, 'optimum-requirements.txt'));
/** With MLflow, TensorBoard and the client of Weights & Biases. */
export const tracking = new PythonEnvironment('tracking-venv', join(import.meta.dirname, 'tracking-requirements.txt'));
export const ENVIRONMENTS = [current, optimum, tracking];

export const { interpreter } = current;
/** Where PyTorch computes in the trainer's tests: `STP_TEST_DEVICE` is `cpu` (the default) or `cuda`. */
export const device = z.enum(['cpu', 'cuda']).default('cpu').parse(process.env.STP_TEST_DEVICE);
/** NVIDIA's library for processes that meet gives each a GPU of its own. */
export const canTrainTogether = device === 'cpu' || gpuCount() > 1;

function gpuCount(): number {
  const { status, stdout } = spawnSync('nvidia-smi', ['--list-gpus'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n').length : 0;
}
export const skipsPython = (what: string): boolean => current.skips(what);
export const runPython = (script: string, input: unknown, threads = 1): Promise<unknown> =>
  current.run(script, input, threads);

/** Version of the Python that would make the environments, or null if there is no Python. */
export function systemPython(): { readonly command: string; readonly version: string } | null {
  const command = process.env.STP_PYTHON ?? 'python3';
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0 ? { command, version: stdout.trim() } : null;
}
