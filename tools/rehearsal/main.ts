/**
 * `npm run rehearsal`: a production-like installation on this machine, a run on it that nobody disturbs, and runs under
 * faults drawn from seeds, with a table of what held. Needs Linux and root; says what else is missing.
 *
 *   npm run rehearsal -- --seeds 1-20 --faults 20
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { StpError } from '../../data/errors.ts';
import { Installation } from './installation.ts';
import { loadLean } from './load.ts';
import { missing } from './needs.ts';
import { RECORDS } from './places.ts';
import { rehearse } from './rehearse.ts';
import { begin, leftovers, takeDown } from './takedown.ts';
import { temporalBuild } from './temporal-server.ts';

const FAULTS_DEFAULT = 20;

const options = new Command('rehearsal')
  .description('Run the whole installation on this machine, undisturbed and under faults.')
  .option('--seeds <from-to>', 'seeds of the faults, such as 1-20', '1-1')
  .option('--faults <n>', 'faults in each run', String(FAULTS_DEFAULT))
  .option('--only <kind>', 'faults of this kind alone, such as "node killed"')
  .option('--undisturbed', 'no faults')
  .option('--load <seconds>', 'no runs: clients ask the Lean service for so long')
  .option('--clients <n>', 'clients of the Lean service', '64')
  .parse()
  .opts<{ seeds: string; faults: string; only?: string; undisturbed?: boolean; load?: string; clients: string }>();

const begun = Date.now();
const say = (line: string): void =>
  console.log(`${String(Math.round((Date.now() - begun) / 1_000)).padStart(6)} s  ${line}`);

async function main(): Promise<number> {
  const [, from = '', to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(options.seeds) ?? [];
  const faults = Number(options.faults);
  if (from === '' || !Number.isInteger(faults) || faults < 1 || faults > 200)
    throw new StpError('STP1002', 'no seeds or faults are named', 'Write --seeds 1-20 and --faults 20 (at most 200).');
  const seeds =
    options.undisturbed === true
      ? []
      : Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i);
  const lacks = await missing();
  if (lacks.length > 0)
    throw new StpError(
      'STP1002',
      `this machine cannot rehearse: ${lacks.map(({ what }) => what).join('; ')}`,
      lacks.map(({ get }) => get).join('\n'),
    );
  const build = await temporalBuild(say);
  const left = await begin();
  if (left !== null) say(left);
  const folder = join(RECORDS, new Date(begun).toISOString().replaceAll(/[:.]/g, '-'));
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true });
  say(`records: ${folder}`);
  const installation = await Installation.putUp({ logs, build, say });
  say('the installation is up');
  if (options.load !== undefined) {
    console.log(await loadLean(installation, Number(options.clients), Number(options.load)));
    return 0;
  }
  const { table, problems } = await rehearse(installation, { seeds, faults, only: options.only ?? null, folder, say });
  await writeFile(join(folder, 'table.md'), table);
  console.log(`\n${table}`);
  return problems;
}

let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (stopped) return;
    stopped = true;
    say(`${signal}: taking everything down`);
    void takeDown().then(() => process.exit(130));
  });
try {
  const problems = await main();
  await takeDown();
  const after = await leftovers();
  for (const line of after) say(`still there: ${line}`);
  process.exitCode = problems + after.length === 0 ? 0 : 1;
} catch (error) {
  if (!stopped) {
    console.error(error instanceof StpError ? error.toText() : error);
    // What another rehearsal has put up is not ours to take down.
    if (!(error instanceof StpError)) await takeDown();
    process.exitCode = 1;
  }
}
// Pipes to processes of the machines must not keep it.
process.exit();
