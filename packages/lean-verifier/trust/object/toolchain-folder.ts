/** Finds the folder of a toolchain's own compiled library. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTool, type ToolContext } from '../certificate/run-tool.ts';

const TIMEOUT_MS = 60_000;

const folders = new Map<string, string>();

/** Returns the folder of a plain installation, in which `bin` and `lib` lie side by side; null if this is none. */
export function installedFolder(executable: string): string | null {
  const folder = join(dirname(dirname(executable)), 'lib', 'lean');
  return existsSync(join(folder, 'Init.olean')) ? folder : null;
}

/**
 * Returns the folder of a plain installation, otherwise the answer of `lean --print-libdir`; null if that gives none.
 */
export async function toolchainFolder(context: ToolContext): Promise<string | null> {
  const { environment, workingDirectory } = context.processContext;
  const { executable } = environment;
  const known = folders.get(executable);
  if (known !== undefined) return known;
  const folder = installedFolder(executable) ?? (await ask(context, executable, workingDirectory));
  if (folder !== null) folders.set(executable, folder);
  return folder;
}

async function ask(context: ToolContext, executable: string, workingDirectory: string): Promise<string | null> {
  const exit = await runTool(context, {
    command: [executable, '--print-libdir'],
    workingDirectory,
    timeoutMs: TIMEOUT_MS,
  });
  const folder = exit.output.trim().split('\n').at(-1) ?? '';
  return exit.how === 'finished' && exit.code === 0 && folder.startsWith('/') ? folder : null;
}
