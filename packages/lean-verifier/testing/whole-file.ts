/** Messages of `lean --json` for a whole file, with which tests compare the service's answers. */
import { runLean } from '../runtime/process/lean-process.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

export interface Said {
  readonly line: number;
  readonly column: number;
  readonly data: string;
}

const asked = new Map<string, Promise<Said[]>>();

/** Runs Lean once for each text. */
export function whole(text: string): Promise<Said[]> {
  const answer = asked.get(text) ?? askWhole(text);
  asked.set(text, answer);
  return answer;
}

async function askWhole(text: string): Promise<Said[]> {
  const said: Said[] = [];
  await runLean({
    environment: await coreEnvironment(),
    workingDirectory: scratchFolder(),
    arguments: ['--stdin'],
    input: text,
    deadlineMs: 60_000,
    memoryBytesMax: 2 ** 31,
    onMessage: ({ line, column, text: data }) => said.push({ line, column, data }),
  });
  return said;
}
