/** `bin/stp lean serve` as a process: what a trainer or another client speaks to. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { stp } from './stp.ts';

export interface LeanService {
  readonly url: string;
  /** Its scratch folder, which is its own. */
  readonly scratch: string;
  readonly command: ReturnType<typeof stp>;
  /** Kills it outright, if it still runs, and removes what it left. */
  close(): Promise<void>;
}

export interface LeanServiceOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
}

/** Resolves when it serves. Without keys, unless `env` has some. */
export async function startLeanService({ args = [], env = {}, port }: LeanServiceOptions = {}): Promise<LeanService> {
  const at = port ?? (await freePort());
  const scratch = mkdtempSync(join(tmpdir(), 'stp-lean-serve-'));
  const command = stp(['lean', 'serve', '--port', String(at), '--sandbox', 'where-available', ...args], {
    env: { STP_LEAN_SERVE_KEYS: '', STP_SCRATCH: scratch, ...env },
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    command.stdout?.on('data', (text: Buffer) => {
      said += text.toString('utf8');
      if (/^serving .*\n/m.test(said)) resolve();
    });
    command.then((result) => reject(new Error(String(result.all))), reject);
  });
  return {
    url: `http://127.0.0.1:${at}`,
    scratch,
    command,
    async close() {
      command.kill('SIGKILL');
      await command;
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
