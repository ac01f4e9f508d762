/**
 * `stp suggest lsp`: a proxy between an editor and its Lean server (docs/suggest.md). Standard output belongs to the
 * editor.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter } from 'node:path';
import { SuggesterProcess, type SuggesterSource, startProxy } from '@stp/editor';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { SUGGEST_KEYS_VARIABLE } from './suggest-serve.ts';

/** Environment variable with the key for the server of `--url`. */
const KEY_VARIABLE = 'STP_SUGGEST_KEY';

export interface SuggestLspOptions {
  readonly url?: string;
  readonly searchSeconds: number;
  readonly suggest: readonly string[];
}

/** Returns the exit code of the Lean server. */
export async function suggestLsp(command: readonly string[], options: SuggestLspOptions): Promise<number> {
  const { words, environment } = command.length > 0 ? { words: command, environment: {} } : await ownLean();
  const [program, ...rest] = words;
  const lean = spawn(program!, rest, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...environment } });
  const ended = new Promise<number>((resolve) => {
    lean.once('error', (error) => {
      console.error(`${program} cannot be started: ${error.message}`);
      resolve(2);
    });
    lean.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  });
  const suggester = new SuggesterProcess(sourceOf(options));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => lean.kill(signal));
  startProxy({
    editor: { input: process.stdin, output: process.stdout },
    server: { input: lean.stdin, output: lean.stdout },
    suggester,
    searchSeconds: options.searchSeconds,
    onError: (error) => console.error(error instanceof Error ? error.message : error),
  });
  const code = await ended;
  suggester.close();
  process.stdin.destroy();
  return code;
}

function sourceOf({ url, suggest }: SuggestLspOptions): SuggesterSource {
  if (url !== undefined) return { url, key: process.env[KEY_VARIABLE] ?? null };
  const words = ['suggest', 'serve', '--host', '127.0.0.1', '--port', '0', '--no-copilot', '--with-parent', ...suggest];
  return { words: [process.execPath, process.argv[1]!, ...words], keysVariable: SUGGEST_KEYS_VARIABLE };
}

/** Finds the Lean that this project checks with, and its library. */
async function ownLean(): Promise<{ words: readonly string[]; environment: Record<string, string> }> {
  const { executable, searchPath } = await leanEnvironment(workerSettings(), (line) => console.error(line));
  const environment: Record<string, string> = searchPath.length > 0 ? { LEAN_PATH: searchPath.join(delimiter) } : {};
  return { words: [executable, '--server'], environment };
}
