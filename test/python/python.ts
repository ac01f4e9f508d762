/**
 * Python environments for comparisons with other implementations, made by `npm run test:python` under `.cache`: one
 * with current packages, one with the older packages that export encoder-decoders, and one with trackers. Without them
 * the comparisons are skipped with a message.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';

const CACHE = join(import.meta.dirname, '..', '..', '.cache');
export const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
/** Time limit of a script: loading PyTorch takes seconds, and minutes from a cold disk. */
const TIME_MS_MAX = 300_000;
/** Time limit of an installation of six gigabytes. */
const INSTALL_MS_MAX = 1_800_000;
const OUTPUT_CHARS_MAX = 64 * 1024 * 1024;

class PythonEnvironment {
  readonly interpreter: string;
  readonly #name: string;
  readonly #requirements: string;
  /** Path of a copy of the requirements, written when all of them are installed. */
  readonly #installed: string;

  readonly #isGiven: boolean;

  /** @param given a Python that has the packages already, in any versions */
  constructor(name: string, requirements: string, given?: string) {
    this.#name = name;
    this.#requirements = requirements;
    this.#installed = join(CACHE, name, 'installed.txt');
    this.#isGiven = given !== undefined;
    this.interpreter = given ?? join(CACHE, name, 'bin', 'python');
  }

  /** Whether all packages are installed in the required versions. */
  get isInstalled(): boolean {
    if (this.#isGiven) return true;
    return (
      existsSync(this.#installed) && readFileSync(this.#installed, 'utf8') === readFileSync(this.#requirements, 'utf8')
    );
  }

  /** Installs everything anew. Throws if there is no Python or pip cannot get the packages. */
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

  /** Returns whether a comparison cannot run here; then prints the reason. */
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

/** Environment with current packages. `STP_TEST_PYTHON` names the Python of a GPU image, which has its own PyTorch. */
const current = new PythonEnvironment('python-venv', REQUIREMENTS, process.env.STP_TEST_PYTHON);
/** Environment with `optimum-cli`. */
export const optimum = new PythonEnvironment('optimum-venv', join(import.meta.dirname, 'optimum-requirements.txt'));
/** Environment with MLflow, TensorBoard and the client of Weights & Biases. */
export const tracking = new PythonEnvironment('tracking-venv', join(import.meta.dirname, 'tracking-requirements.txt'));
export const ENVIRONMENTS = [current, optimum, tracking];

export const { interpreter } = current;
/** Device of PyTorch in the trainer's tests: `STP_TEST_DEVICE` is `cpu` (the default) or `cuda`. */
export const device = z.enum(['cpu', 'cuda']).default('cpu').parse(process.env.STP_TEST_DEVICE);
/** Whether several processes can train together: NVIDIA's NCCL needs a GPU for each. */
export const canTrainTogether = device === 'cpu' || gpuCount() > 1;

function gpuCount(): number {
  const { status, stdout } = spawnSync('nvidia-smi', ['--list-gpus'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n').length : 0;
}
export const skipsPython = (what: string): boolean => current.skips(what);
export const runPython = (script: string, input: unknown, threads = 1): Promise<unknown> =>
  current.run(script, input, threads);

/** Returns the Python that would make the environments, or null if there is none. */
export function systemPython(): { readonly command: string; readonly version: string } | null {
  const command = process.env.STP_PYTHON ?? 'python3';
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0 ? { command, version: stdout.trim() } : null;
}
