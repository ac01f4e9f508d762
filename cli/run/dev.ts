/** `stp dev`: server, UI and workers until Ctrl-C; other commands start runs, whose files are under `runs/`. */
import { join } from 'node:path';
import { startDevServer } from '../../infra/temporal/dev-server.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { REPOSITORY, workerSettings } from '../../workers/settings.ts';
import { temporalExecutable } from './temporal.ts';
import { superviseWorker } from './worker-process.ts';

export async function dev(options: { port?: number; uiPort?: number }): Promise<void> {
  const settings = workerSettings();
  const say = (line: string): void => console.log(line);
  const temporal = await temporalExecutable(settings, say);
  const lean = await leanEnvironment(settings, say);
  const server = await startDevServer({
    executable: temporal.executable,
    dbFilename: join(settings.cacheDirectory, 'dev', 'history.db'),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.uiPort === undefined ? {} : { uiPort: options.uiPort }),
    onCrash: (error) => {
      console.error(error.toText());
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    },
  });
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  const worker = superviseWorker(
    { TEMPORAL_ADDRESS: server.address, STP_STORE: settings.storeUri, STP_CACHE: settings.cacheDirectory },
    join(settings.cacheDirectory, 'dev', 'worker.log'),
    say,
    (error) => {
      console.error(error.toText());
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    },
  );
  try {
    await Promise.race([worker.ready, ended]);
    const address = server.address === '127.0.0.1:7233' ? '' : ` --address ${server.address}`;
    say(`Temporal ${temporal.version}, ${lean.version}`);
    say(`Temporal UI   ${server.uiUrl}`);
    say(`run folders   ${settings.storeUri}`);
    say(
      `start a run   export PATH="${join(REPOSITORY, 'bin')}:$PATH"; temporal workflow start stp-selfplay --rounds 2${address}`,
    );
    await ended;
  } finally {
    await worker.stop();
    await server.stop();
  }
}
