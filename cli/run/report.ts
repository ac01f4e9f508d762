/** `stp report RUN`: writes a run's report at any time, also compared with other runs. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StpError } from '@stp/base';
import type { RunFigures } from '../../activities/report/figures.ts';
import { gatherRun } from '../../activities/report/gather.ts';
import { makeReport } from '../../activities/report/make-report.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { readLosses } from '../../infra/monitor/losses.ts';
import { runUri } from '../shared/run-uri.ts';

export interface ReportOptions {
  readonly compare?: readonly string[];
  readonly out?: string;
}

/** @param run folder, URI, or name of a run in the worker's store */
export async function report(run: string, options: ReportOptions): Promise<void> {
  const uri = runUri(run);
  const others = (options.compare ?? []).map(runUri);
  const gather = async (of: string): Promise<RunFigures> => {
    console.error(`reading ${of}`);
    const losses = of.startsWith('file://') ? await readLosses(join(fileURLToPath(of), 'metrics.jsonl')) : [];
    return gatherRun({ ...(await openRun(of)), losses });
  };
  const first = await gather(uri);
  const compared: RunFigures[] = [];
  for (const other of others) compared.push(await gather(other));
  const files = await makeReport([first, ...compared]);
  const out = resolve(options.out ?? defaultFolder(uri));
  try {
    await mkdir(join(out, 'report'), { recursive: true });
    for (const { name, text } of files) await writeFile(join(out, name), text);
  } catch (cause) {
    throw new StpError(
      'STP1401',
      `the report cannot be written to ${out}: ${(cause as Error).message}`,
      'Name a folder you may write to with --out.',
      { cause },
    );
  }
  console.log(join(out, files[0]!.name));
}

/** Returns a folder beside the run: the run's own folder is written only by the run. */
function defaultFolder(uri: string): string {
  const folder = uri.startsWith('file://') ? fileURLToPath(uri) : resolve(basename(uri));
  return join(dirname(folder), `${basename(folder)}-report`);
}
