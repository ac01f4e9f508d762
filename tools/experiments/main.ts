/**
 * `npm run experiment -- selfplay-vs-baselines`, `-- objectives`, `-- curriculum` or `-- portfolio`: runs an experiment and writes its table
 * at the top of `docs/log.md`, also where the table shows a failure. Their options: `--help`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { keyValue, roundsValue, samplesValue, wholeNumber } from '../../cli/options.ts';
import { curriculumOf, curriculumTable } from './curriculum.ts';
import { spreadOf } from './curves.ts';
import { comparisonFigure, type Level } from './figure.ts';
import { compareObjectives, OBJECTIVE_METHODS } from './objectives.ts';
import { byMethod, objectivesTable } from './objectives-table.ts';
import { recordPortfolio } from './portfolio.ts';
import { comparisonTable, METHOD_NAMES, portfolioLine, selfplayVersusBaselines } from './selfplay-vs-baselines.ts';

const DOCS = resolve(import.meta.dirname, '..', '..', 'docs');
const LOG = join(DOCS, 'log.md');

interface Options {
  readonly seeds: number[];
  readonly rounds: number;
  readonly methods: Map<string, number | null>;
  readonly directory: string;
  readonly set: Record<string, string>;
  readonly figure: string;
  readonly note: string;
}

/** Entries are newest first, under the heading and its paragraph. */
async function writeToLog(entry: string): Promise<void> {
  const log = await readFile(LOG, 'utf8');
  const at = log.indexOf('\n## ');
  const [head, rest] = at < 0 ? [log.trimEnd(), '\n'] : [log.slice(0, at).trimEnd(), log.slice(at)];
  await writeFile(LOG, `${head}\n\n${entry}\n${rest}`);
}

/** `growing-library:8,random-conjectures`: names, with their rounds; null: until they have spent self-play's time of Lean. */
function methodRounds(text: string): Map<string, number | null> {
  return new Map(
    text.split(',').map((word) => {
      const [name = '', rounds] = word.split(':');
      if (!METHOD_NAMES.includes(name))
        throw new InvalidArgumentError(`${name} is no method: give some of ${METHOD_NAMES.join(', ')}`);
      return [name, rounds === undefined ? null : roundsValue(rounds)];
    }),
  );
}

function objectiveMethods(text: string): string[] {
  const names = text.split(',');
  for (const name of names)
    if (!OBJECTIVE_METHODS.includes(name))
      throw new InvalidArgumentError(`${name} is no method: give some of ${OBJECTIVE_METHODS.join(', ')}`);
  return names;
}

const described = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `\`${key}=${value}\``)
    .join(', ') || 'none';

const program = new Command('experiment');
program
  .command('selfplay-vs-baselines')
  .option('--seeds <list>', 'seeds, separated by commas', (text) => text.split(',').map(Number), [1, 2, 3])
  .option('--rounds <n>', 'rounds of self-play', roundsValue, 3)
  .option(
    '--methods <list>',
    `methods beside self-play, each with :N for its rounds, else until it has spent self-play’s time of Lean: ${METHOD_NAMES.slice(1).join(', ')}`,
    methodRounds,
    methodRounds('random-conjectures,growing-library,fixed-library,expert-iteration,parallel-sampling'),
  )
  .option('--directory <dir>', 'where the runs lie', 'runs/selfplay-vs-baselines')
  .option('--set <key=value>', 'a value that all methods share; may be repeated', keyValue, {})
  .option('--figure <file>', 'SVG of the comparison', join(DOCS, 'images', 'selfplay-vs-baselines.svg'))
  .option('--note <text>', 'a sentence for the log', '')
  .action(async ({ directory, figure, note, ...options }: Options) => {
    const where = resolve(directory);
    const asked = { ...options, directory: where };
    const {
      results,
      comparison,
      summary,
      portfolio: withLemmas,
    } = await selfplayVersusBaselines(asked, (line) => console.error(line));
    const table = comparisonTable(comparison);
    const { statements, portfolio } = summary;
    const entry = [
      `## ${new Date().toISOString().slice(0, 10)} · Self-play against baselines`,
      '',
      `Rounds of each method, seed by seed: ${results.map(({ method, runs }) => `${method} ${runs.map(({ summary: { rounds } }) => rounds.length - 1).join(', ')}`).join('; ')}. Seeds ${options.seeds.join(', ')}, ${statements} training statements. Values for all: ${described(options.set)}. ${note}`.trimEnd(),
      '',
      table,
      ...(portfolio ? ['', portfolioLine(portfolio, withLemmas)] : []),
      '',
      `Figure: [images/${basename(figure)}](images/${basename(figure)}).`,
    ].join('\n');
    const share = ({ proved, statements: all }: { proved: number; statements: number }): number => proved / all;
    const levels: Level[] = [
      ...(portfolio ? [{ label: 'fixed list of scripts', share: share(portfolio) }] : []),
      { label: 'the same with lemmas of self-play', share: spreadOf(withLemmas.map(share)).mean },
    ];
    await writeFile(figure, await comparisonFigure(results, levels));
    await writeToLog(entry);
    console.log(table);
  });
program
  .command('objectives')
  .description('expert iteration, GRPO, flows, searches and verifiers, at equal samples and at equal time of Lean')
  .option('--seeds <list>', 'seeds, separated by commas', (text) => text.split(',').map(Number), [1, 2, 3])
  .option('--rounds <n>', 'rounds after the baseline', roundsValue, 3)
  .option('--methods <list>', `some of ${OBJECTIVE_METHODS.join(', ')}`, objectiveMethods, OBJECTIVE_METHODS)
  .option('--directory <dir>', 'where the runs lie', 'runs/objectives')
  .option('--set <key=value>', 'a value that all methods share; may be repeated', keyValue, {})
  .option('--figure <file>', 'SVG of the comparison', join(DOCS, 'images', 'objectives.svg'))
  .option('--note <text>', 'a sentence for the log', '')
  .action(async ({ directory, figure, note, ...options }: Omit<Options, 'methods'> & { methods: string[] }) => {
    const results = await compareObjectives({ ...options, directory: resolve(directory) }, (line) =>
      console.error(line),
    );
    const table = objectivesTable(results);
    const methods = byMethod(results);
    const { statements } = methods[0]!.runs[0]!.summary;
    const entry = [
      `## ${new Date().toISOString().slice(0, 10)} · Objectives compared`,
      '',
      `${options.rounds} rounds; seeds ${options.seeds.join(', ')}, ${statements} training statements. Values for all: ${described(options.set)}. ${note}`.trimEnd(),
      '',
      table,
      '',
      `Figure: [images/${basename(figure)}](images/${basename(figure)}).`,
    ].join('\n');
    await writeFile(figure, await comparisonFigure(methods, []));
    await writeToLog(entry);
    console.log(table);
  });
program
  .command('curriculum')
  .description('what becomes of the conjectures of a run, and of its library, round by round')
  .argument('<run>', 'folder of a run, finished or not')
  .option(
    '--sample <n>',
    'proved conjectures of a round that the first model tries',
    wholeNumber('sample', 0, 10_000),
    40,
  )
  .option('--samples <n>', 'samples for each of them', samplesValue, 8)
  .option('--note <text>', 'a sentence for the log', '')
  .action(async (run: string, { sample, samples, note }: { sample: number; samples: number; note: string }) => {
    const folder = resolve(run);
    const options = { sample, samplesPerStatement: samples };
    const table = curriculumTable(await curriculumOf(folder, options, (line) => console.error(line)));
    const words = `Run ${basename(folder)}. The first model tries at most ${sample} proved conjectures of each round, ${samples} samples each, without scripts and library. ${note}`;
    await writeToLog(
      `## ${new Date().toISOString().slice(0, 10)} · Conjectures over rounds\n\n${words.trimEnd()}\n\n${table}`,
    );
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
