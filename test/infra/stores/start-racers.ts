/** Starts `racer.ts` processes, releases them at the same moment, and returns the output of each. */
import { execa } from 'execa';

const RACER = new URL('./racer.ts', import.meta.url).pathname;

export function startRacer(uri: string, task: string, letter: string, environment: Record<string, string> = {}) {
  return execa(process.execPath, [RACER, uri, task, letter], { env: environment, reject: false, buffer: true });
}

export async function race<T>(
  uri: string,
  task: string,
  letters: readonly string[],
  environment: Record<string, string> = {},
): Promise<T[]> {
  const racers = letters.map((letter) => startRacer(uri, task, letter, environment));
  await Promise.all(racers.map((racer) => new Promise((resolve) => racer.stdout.once('data', resolve))));
  for (const racer of racers) racer.stdin.write('go\n');
  const results = await Promise.all(racers);
  return results.map((result) => {
    if (result.exitCode !== 0) throw new Error(`a racer failed: ${result.stderr}`);
    return JSON.parse(result.stdout.split('\n').at(-1)!) as T;
  });
}
