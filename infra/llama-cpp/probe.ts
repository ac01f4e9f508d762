/**
 * Entry of a process that starts llama.cpp (`probe.ts LIBRARY`) and prints its compute device. If no binary fits, it
 * loads them one by one, because the library does not report their errors.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Llama {
  readonly gpu: string | false;
  getGpuDeviceNames(): Promise<readonly string[]>;
}

const library = process.argv[2]!;
const { getLlama } = (await import(pathToFileURL(join(library, 'dist/index.js')).href)) as {
  getLlama(options: Record<string, unknown>): Promise<Llama>;
};
const llama = await start();
const names = llama.gpu === false ? [] : await llama.getGpuDeviceNames();
process.stdout.write(JSON.stringify({ device: llama.gpu === false ? 'processor' : llama.gpu, names }), () =>
  process.exit(0),
);

async function start(): Promise<Llama> {
  try {
    return await getLlama({
      gpu: 'auto',
      build: 'never',
      skipDownload: true,
      usePrebuiltBinaries: true,
      progressLogs: false,
      logLevel: 'disabled',
    });
  } catch (error) {
    for (const binary of globSync(join(library, '../@node-llama-cpp/*/bins/*/llama-addon.node'))) {
      if (machineOf(binary) !== machineOf(process.execPath))
        throw new Error(`${binary} is for another kind of processor, or damaged`, { cause: error });
      process.dlopen({ exports: {} }, binary);
    }
    throw error;
  }
}

/** Returns the processor type of an ELF file as a number; null for other files. */
function machineOf(path: string): number | null {
  const head = readFileSync(path).subarray(0, 20);
  return head.toString('latin1', 1, 4) === 'ELF' && head.length === 20 ? head.readUInt16LE(18) : null;
}
