/** Entry of a process that starts llama.cpp (`probe.ts LIBRARY`) and prints what it computes on. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Llama {
  readonly gpu: string | false;
  getGpuDeviceNames(): Promise<readonly string[]>;
}

const { getLlama } = (await import(pathToFileURL(join(process.argv[2]!, 'dist/index.js')).href)) as {
  getLlama(options: Record<string, unknown>): Promise<Llama>;
};
const llama = await getLlama({
  ...{ gpu: 'auto', build: 'never', skipDownload: true, usePrebuiltBinaries: true },
  ...{ progressLogs: false, logLevel: 'disabled' },
});
const names = llama.gpu === false ? [] : await llama.getGpuDeviceNames();
process.stdout.write(JSON.stringify({ device: llama.gpu === false ? 'processor' : llama.gpu, names }), () =>
  process.exit(0),
);
