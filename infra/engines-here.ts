/**
 * Which engines and trainers this machine has, found without starting any: llama.cpp by its record in the cache, Python's
 * by looking for their modules, GPUs by the driver's files.
 */
import { resolve } from 'node:path';
import type { EngineName } from '@stp/config';
import { execa } from 'execa';
import { z } from 'zod';
import pins from './bootstrap/pins.json' with { type: 'json' };
import { hasNvidiaGpu, installedLlamaCpp, SETUP_COMMAND } from './llama-cpp/install.ts';
import { shellWord } from './nodes/ssh.ts';
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
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "modules": {name: version(name) for name in sys.argv[1:]},
}))
`;
const PROBE_MS_MAX = 30_000;
const pythonSchema = z.object({
  /** `3.12` */
  version: z.string().max(20),
  modules: z.record(z.string(), z.string().max(200).nullable()),
});
type Python = z.infer<typeof pythonSchema>;

/** @param python that of the trainer (`engines.trainer.python`) */
export async function enginesHere(cacheDirectory: string, python: string): Promise<EnginesHere> {
  const hasGpu = hasNvidiaGpu();
  const [llama, found, vllmCommand] = await Promise.all([
    installedLlamaCpp(cacheDirectory),
    examine(python),
    findOnPath('vllm', process.env),
  ]);
  const inPython = (engine: keyof typeof MODULES): EngineHere => pythonEngine(engine, python, found);
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

function pythonEngine(engine: keyof typeof MODULES, python: string, found: Python | null): EngineHere {
  const lacking = MODULES[engine].find((name) => (found?.modules[name] ?? null) === null);
  if (found !== null && lacking === undefined) return here(engine, `${found.modules[VERSIONED[engine]]}, in ${python}`);
  const { version: wanted } = pins.python;
  const isOther = found !== null && found.version !== wanted;
  const version = isOther ? `; it is Python ${found.version}, the packages need ${wanted}` : '';
  const reason = found === null ? `${python} does not start` : `${python} has no ${lacking}${version}`;
  const installs = found === null || isOther ? `python${wanted}` : shellWord(python);
  const list = shellWord(resolve(import.meta.dirname, 'bootstrap', 'locks', `${LOCKS[engine]}.txt`));
  return {
    engine,
    found: null,
    lack: { reason, command: `${installs} -m pip install --no-deps -r ${list}` },
  };
}

/** Returns the version and the modules of a Python; null if it does not start. */
async function examine(python: string): Promise<Python | null> {
  const names = [...new Set<string>(Object.values(MODULES).flat())];
  const { failed, stdout } = await execa(python, ['-c', FIND_MODULES, ...names], {
    reject: false,
    timeout: PROBE_MS_MAX,
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  });
  return failed ? null : pythonSchema.parse(JSON.parse(stdout));
}
