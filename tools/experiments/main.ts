/**
 * `npm run experiment -- selfplay-vs-baselines` or `-- portfolio`: runs an experiment and writes its table at the top of
 * `docs/log.md`, also where the table shows a failure. Their options: `--help`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { keyValue, roundsValue, wholeNumber } from '../../cli/options.ts';
import { recordPortfolio } from './portfolio.ts';
import { BASELINE_PRESETS, comparisonTable, portfolioLine, selfplayVersusBaselines } from './selfplay-vs-baselines.ts';

const LOG = resolve(import.meta.dirname, '..', '..', 'docs', 'log.md');

interface Options {
  readonly seeds: number[];
  readonly rounds: number;
  readonly baselineRounds: number;
  readonly samples: number;
  readonly baselines: string[];
  readonly directory: string;
  readonly set: Record<string, string>;
  readonly selfPlaySet: Record<string, string>;
  readonly note: string;
}

/** Entries are newest first, under the heading and its paragraph. */
async function writeToLog(entry: string): Promise<void> {
  const log = await readFile(LOG, 'utf8');
  const at = log.indexOf('\n## ');
  const [head, rest] = at < 0 ? [log.trimEnd(), '\n'] : [log.slice(0, at).trimEnd(), log.slice(at)];
  await writeFile(LOG, `${head}\n\n${entry}\n${rest}`);
}

const described = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `\`${key}=${value}\``)
    .join(', ') || 'none';

const program = new Command('experiment');
program
  .command('selfplay-vs-baselines')
  .option('--seeds <list>', 'seeds, separated by commas', (text) => text.split(',').map(Number), [1, 2, 3])
  .option('--rounds <n>', 'rounds of self-play', roundsValue, 4)
  .option('--baseline-rounds <n>', 'rounds of the baselines, each with more samples', roundsValue, 3)
  .option('--samples <n>', 'samples a statement in a round of self-play', wholeNumber('samples', 1, 100_000), 8)
  .option('--baselines <list>', 'presets of baselines', (text) => text.split(','), [...BASELINE_PRESETS])
  .option('--directory <dir>', 'where the runs lie', 'runs/selfplay-vs-baselines')
  .option('--set <key=value>', 'a value that all methods share; may be repeated', keyValue, {})
  .option('--self-play-set <key=value>', 'a value for self-play alone; may be repeated', keyValue, {})
  .option('--note <text>', 'a sentence for the log', '')
  .action(async ({ directory, note, ...options }: Options) => {
    const where = resolve(directory);
    const { comparison, results } = await selfplayVersusBaselines({ ...options, directory: where }, (line) =>
      console.error(line),
    );
    const table = comparisonTable(comparison);
    const { statements, portfolio } = results[0]!.summaries[0]!;
    const entry = [
      `## ${new Date().toISOString().slice(0, 10)} · Self-play against baselines`,
      '',
      `${options.rounds} rounds of self-play with ${options.samples} samples a statement, ${options.baselineRounds} of each baseline with ${2 * options.samples}; seeds ${options.seeds.join(', ')}, ${statements} training statements. Values for all: ${described(options.set)}; for self-play: ${described(options.selfPlaySet)}. ${note}`.trimEnd(),
      '',
      table,
      ...(portfolio ? ['', portfolioLine(portfolio)] : []),
    ].join('\n');
    await writeToLog(entry);
    console.log(table);
  });
program
  .command('portfolio')
  .description('tries the portfolio of scripts on the problem sets, and keeps what it proves in data/portfolio.jsonl')
  .action(async () => {
    const table = await recordPortfolio((line) => console.error(line));
    await writeToLog(`## ${new Date().toISOString().slice(0, 10)} · The portfolio of scripts\n\n${table}`);
    console.log(table);
  });
await program.parseAsync();
