/**
 * `npm run rehearsal`: sets up a production-like installation on this machine, plays a reference run without faults,
 * then runs with faults drawn from seeds, and prints which invariants held. Needs Linux and root; lists what else is
 * missing.
 *
 *   npm run rehearsal -- --seeds 1-20 --faults 20
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { Command } from 'commander';
import { Installation } from './installation.ts';
import { missing } from './needs.ts';
import { RECORDS } from './places.ts';
import { rehearse } from './rehearse.ts';
import { begin, leftovers, takeDown } from './takedown.ts';
import { temporalBuild } from './temporal-server.ts';

const FAULTS_DEFAULT = 20;
const FAULTS_MAX = 200;

const options = new Command('rehearsal')
  .description('Run the whole installation on this machine, undisturbed and under faults.')
  .option('--seeds <from-to>', 'seeds of the faults, such as 1-20', '1')
  .option('--faults <n>', 'faults in each run', String(FAULTS_DEFAULT))
  .option('--only <kind>', 'faults of this kind alone, such as "node killed"')
  .option('--undisturbed', 'no faults')
  .parse()
  .opts<{
    seeds: string;
    faults: string;
    only?: string;
    undisturbed?: boolean;
  }>();

const begun = Date.now();
const say = (line: string): void =>
  console.log(`${String(Math.round((Date.now() - begun) / 1_000)).padStart(6)} s  ${line}`);

async function main(): Promise<number> {
  const [, from = '', to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(options.seeds) ?? [];
  if (from === '') throw new StpError('STP1002', `${options.seeds} names no seeds`, 'Write --seeds 1-20.');
  const faults = numberOption('--faults', options.faults, FAULTS_MAX);
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
  await installation.startFleet(say);
  say('the installation is up');
  const { table, problems } = await rehearse(installation, { seeds, faults, only: options.only ?? null, folder, say });
  console.log(`\n${table}`);
  return problems;
}

function numberOption(name: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new StpError('STP1002', `${name} is ${text}`, `Write a whole number from 1 to ${most}.`);
}

/** Promise of an interrupted rehearsal, which ends the process. */
let ending: Promise<never> | null = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (ending !== null) return;
    say(`${signal}: taking everything down`);
    ending = takeDown().then(() => process.exit(130));
  });
try {
  const problems = await main();
  await ending;
  await takeDown();
  const after = await leftovers();
  for (const line of after) say(`still there: ${line}`);
  process.exitCode = problems + after.length === 0 ? 0 : 1;
} catch (error) {
  if (ending === null) {
    console.error(error instanceof StpError ? error.toText() : error);
    await takeDown();
    process.exitCode = 1;
  }
}
await ending;
// Exits explicitly, because pipes to processes of the machines would keep this one alive.
process.exit();
