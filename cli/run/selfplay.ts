/** `stp selfplay`: runs the whole loop on this machine, from set-up to report. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Summary, summarySchema } from '@stp/config/records';
import { summaryRows } from '../../activities/report/summary.ts';
import { SELFPLAY_TYPE, selfplayWorkflowId } from '../../workflows/control/contracts.ts';
import { freshRunName, type RunOptions, runSummary, startInput } from '../shared/options.ts';
import { type LocalRunOptions, openRunFolder, runLocally } from './local-run.ts';
import { ProgressView } from './progress-view.ts';
import { requireEngine } from './require-engine.ts';

export interface SelfplayOptions extends RunOptions, LocalRunOptions {
  readonly runDir?: string;
  readonly stay?: boolean;
  readonly json?: boolean;
}

export async function selfplay(options: SelfplayOptions): Promise<void> {
  const { input, config } = startInput(options);
  await requireEngine(config);
  const { directory, run } = await openRunFolder(options.runDir ?? join('runs', freshRunName(input.preset)), config);
  const out = options.json ? process.stderr : process.stdout;
  const workflow = { type: SELFPLAY_TYPE, id: selfplayWorkflowId(run), input, summary: runSummary(input) };
  await runLocally({ directory, view: new ProgressView(out), workflow }, options, async ({ uiUrl, stopped }) => {
    const summary = summarySchema.parse(JSON.parse(await readFile(join(directory, 'summary.json'), 'utf8')));
    if (options.json) process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    out.write(
      `${table(summary)}\n\nReport: ${join(directory, 'report.html')}\nProofs: ${join(directory, 'proofs.lean')}\n`,
    );
    if (options.stay) {
      out.write(`Temporal UI stays at ${uiUrl}; Ctrl-C ends it.\n`);
      await stopped.catch(() => undefined);
    }
  });
}

function table(summary: Summary): string {
  const rows = summaryRows(summary);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}
