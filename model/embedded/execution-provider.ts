/**
 * Chooses ONNX Runtime's execution provider for the sessions of this process: CUDA or WebGPU if it computes correctly
 * here, else the CPU. A provider is tested in a separate process, because a broken driver can crash a process, and only
 * if the machine has a graphics device, so a machine without one loses no time.
 */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { StpError } from '../../data/errors.ts';

const ACCELERATORS = ['cuda', 'webgpu'] as const;
export type Accelerator = (typeof ACCELERATORS)[number];

export interface ProviderChoice {
  /** For `InferenceSession.create`, best first; always ends in `cpu`. */
  readonly providers: readonly string[];
  /** One line that says why a GPU is not used, or null where there is nothing to say. */
  readonly note: string | null;
}

/** `cpu`, `cuda` or `webgpu`; unset tries CUDA, then WebGPU. */
const VARIABLE = 'STP_EXECUTION_PROVIDER';
/** Where Linux shows graphics devices: NVIDIA's driver, every other driver, and Windows' devices under WSL. */
const DEVICE_PATHS = ['/dev/nvidiactl', '/dev/dri', '/dev/dxg'];
/** A first start of CUDA loads hundreds of megabytes and may compile kernels. */
const PROBE_TIME_MS_MAX = 120_000;
const REASON_CHARS_MAX = 300;

let chosen: Promise<ProviderChoice> | undefined;

/** The choice for this process, made once. STP1002 where the variable names no provider. */
export function executionProviders(): Promise<ProviderChoice> {
  chosen ??= graphicsDevice().then((device) => chooseProviders(process.env[VARIABLE], device, probe));
  return chosen;
}

/**
 * `probe` resolves to null where the provider works, else to the reason why not. Without a graphics device only a provider
 * that is asked for by name is tried.
 */
export async function chooseProviders(
  wanted: string | undefined,
  hasDevice: boolean,
  probe: (accelerator: Accelerator) => Promise<string | null>,
): Promise<ProviderChoice> {
  if (wanted === 'cpu') return { providers: ['cpu'], note: null };
  const unset = wanted === undefined || wanted === '';
  const candidates = ACCELERATORS.filter((name) => unset || name === wanted);
  if (candidates.length === 0)
    throw new StpError(
      'STP1002',
      `${VARIABLE} is "${wanted}"`,
      `Set it to cpu, ${ACCELERATORS.join(' or ')}, or unset it.`,
    );
  if (unset && !hasDevice)
    return { providers: ['cpu'], note: 'the CPU computes: this machine shows no graphics device' };
  const reasons: string[] = [];
  for (const candidate of candidates) {
    const reason = await probe(candidate);
    if (reason === null) return { providers: [candidate, 'cpu'], note: null };
    reasons.push(`${candidate}: ${reason}`);
  }
  return { providers: ['cpu'], note: `the CPU computes, not the GPU (${reasons.join('; ')})` };
}

/** Only Linux can be asked for the price of a look; elsewhere it is left to the probe. */
async function graphicsDevice(): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const found = await Promise.all(
    DEVICE_PATHS.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/** Has a process multiply two matrices on the provider. */
async function probe(accelerator: Accelerator): Promise<string | null> {
  const entry = new URL('./process/provider-child.ts', import.meta.url);
  try {
    await promisify(execFile)(process.execPath, [fileURLToPath(entry), accelerator], { timeout: PROBE_TIME_MS_MAX });
    return null;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const text = stderr?.trim() || message;
    return stripVTControlCharacters(text).replace(/\s+/g, ' ').slice(0, REASON_CHARS_MAX);
  }
}
