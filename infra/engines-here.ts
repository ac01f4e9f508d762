/**
 * Which engines and trainers this machine has, found without starting any: llama.cpp by its record in the cache, Python's
 * by looking for their modules, GPUs by the driver's files.
 */
import type { EngineName } from '@stp/config';
import { execa } from 'execa';
import { z } from 'zod';
import { hasNvidiaGpu, installedLlamaCpp, SETUP_COMMAND } from './llama-cpp/install.ts';
import { findOnPath } from './temporal/executable.ts';

export interface EngineHere {
  readonly engine: EngineName;
  /** Its version and what it runs on, in a line; null if it is not here. */
  readonly found: string | null;
  /** Null if it is here. */
  readonly lack: EngineLack | null;
}

export interface EngineLack {
  /** What is not here, in a line. */
  readonly reason: string;
  /** The command that gets it. */
  readonly command: string;
}

export interface EnginesHere {
  readonly hasGpu: boolean;
  readonly engines: readonly EngineHere[];
}

/** Modules that the programs import. */
const MODULES = {
  transformers: ['torch', 'transformers', 'fastapi', 'openai', 'uvicorn'],
  vllm: ['vllm'],
  pytorch: ['torch', 'transformers', 'accelerate', 'peft'],
} as const;
/** The module whose version is that of the engine. */
const VERSIONED = { transformers: 'transformers', vllm: 'vllm', pytorch: 'torch' } as const;
/** Lists of packages, as nodes get them. */
const LOCKS = { transformers: 'pytorch', vllm: 'vllm', pytorch: 'pytorch' } as const;
/** Finds modules without importing them: PyTorch takes seconds to load. */
const FIND_MODULES = `
import importlib.metadata, importlib.util, json, sys
sys.path[:] = [path for path in sys.path if path]
def version(name):
    if importlib.util.find_spec(name) is None: return None
    try: return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError: return "of unknown version"
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
`;
const PROBE_MS_MAX = 30_000;
const modulesSchema = z.record(z.string(), z.string().max(200).nullable());
type Modules = z.infer<typeof modulesSchema>;

/** @param python that of the trainer (`engines.trainer.python`) */
export async function enginesHere(cacheDirectory: string, python: string): Promise<EnginesHere> {
  const hasGpu = hasNvidiaGpu();
  const [llama, modules, vllmCommand] = await Promise.all([
    installedLlamaCpp(cacheDirectory),
    modulesIn(python),
    findOnPath('vllm', process.env),
  ]);
  const inPython = (engine: keyof typeof MODULES): EngineHere => pythonEngine(engine, python, modules);
  return {
    hasGpu,
    engines: [
      here('embedded', 'on the processor'),
      llama === null
        ? { engine: 'llama-cpp', found: null, lack: { reason: 'it is not installed', command: SETUP_COMMAND } }
        : here('llama-cpp', `${llama.version}, on ${[llama.device, ...llama.names].join(', ')}`),
      inPython('transformers'),
      vllmCommand === null ? inPython('vllm') : here('vllm', 'the command vllm'),
      inPython('pytorch'),
    ],
  };
}

const here = (engine: EngineName, found: string): EngineHere => ({ engine, found, lack: null });

function pythonEngine(engine: keyof typeof MODULES, python: string, modules: Modules | null): EngineHere {
  const needed = MODULES[engine];
  const lacking = needed.find((name) => (modules?.[name] ?? null) === null);
  if (modules !== null && lacking === undefined) return here(engine, `${modules[VERSIONED[engine]]}, in ${python}`);
  const reason = modules === null ? `${python} does not start` : `${python} has no ${lacking}`;
  const command = `python3.12 -m pip install --no-deps -r infra/bootstrap/locks/${LOCKS[engine]}.txt`;
  return { engine, found: null, lack: { reason, command } };
}

/** Returns the versions of the modules; null if Python does not start. */
async function modulesIn(python: string): Promise<Modules | null> {
  const names = [...new Set<string>(Object.values(MODULES).flat())];
  const { failed, stdout } = await execa(python, ['-c', FIND_MODULES, ...names], {
    reject: false,
    timeout: PROBE_MS_MAX,
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  });
  return failed ? null : modulesSchema.parse(JSON.parse(stdout));
}
