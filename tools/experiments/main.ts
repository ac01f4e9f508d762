/**
 * Runs an experiment: `npm run experiment -- selfplay-vs-baselines`, `-- learning`, `-- portfolio`, `-- library` or
 * `-- order`. Most write their table at the top of `docs/log.md`, even if it shows a failure. `library-set` and
 * `tried-conjectures` make the first examples of the ranker of conjectures (data/sft/README.md), `ranker` a ranker of
 * actions (data/rankers/README.md). Options: `--help`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { keyValue, roundsValue } from '../../cli/shared/options.ts';
import { readActionRecord, recordActions } from './action-record.ts';
import { spreadOf } from './curves.ts';
import { comparisonFigure, type Level } from './figure.ts';
import { keepTriedConjectures, writeLibrarySet } from './hindsight.ts';
import { type LibrarySample, libraryExperiment } from './library.ts';
import { replayOrders, replayTable } from './order-replay.ts';
import { recordPortfolio } from './portfolio.ts';
import { writeRanker } from './ranker.ts';
import {
  comparisonTable,
  LEARNING,
  METHOD_NAMES,
  portfolioLine,
  SELF_PLAY,
  selfplayVersusBaselines,
} from './selfplay-vs-baselines.ts';

const DOCS = resolve(import.meta.dirname, '..', '..', 'docs');
const LOG = join(DOCS, 'log.md');

interface Options {
  readonly seeds: number[];
  readonly rounds: number;
  readonly preset: string;
  readonly methods: Map<string, number | null>;
  readonly directory: string;
  readonly set: Record<string, string>;
  readonly figure: string;
  readonly note: string;
}

interface OrderOptions {
  readonly set: string;
  readonly record: string;
  readonly train: number;
  readonly heldOut: number;
  readonly premises: number;
  readonly seeds: number[];
  readonly rounds: number;
  readonly ms: number;
}

const seedsValue = (text: string): number[] => text.split(',').map(Number);

/** Writes an entry under the heading and its paragraph: the newest entry comes first. */
async function writeToLog(entry: string): Promise<void> {
  const log = await readFile(LOG, 'utf8');
  const at = log.indexOf('\n## ');
  const [head, rest] = at < 0 ? [log.trimEnd(), '\n'] : [log.slice(0, at).trimEnd(), log.slice(at)];
  await writeFile(LOG, `${head}\n\n${entry}\n${rest}`);
}

/** Parses `growing-library:8,random-conjectures`: names with rounds. Null: until self-play's Lean time is spent. */
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

const described = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `\`${key}=${value}\``)
    .join(', ') || 'none';

/** Defines a command that compares methods, with its defaults. */
function comparing(
  name: string,
  defaults: {
    title: string;
    first: string;
    methods: string;
    preset: string;
    rounds: number;
  },
): Command {
  const others = METHOD_NAMES.filter((method) => method !== defaults.first);
  return program
    .command(name)
    .option('--seeds <list>', 'seeds, separated by commas', seedsValue, [1, 2, 3])
    .option('--rounds <n>', `rounds of ${defaults.first}`, roundsValue, defaults.rounds)
    .option(
      '--methods <list>',
      `methods beside ${defaults.first}, each with :N for its rounds, else until it has spent as much time of Lean: ${others.join(', ')}`,
      methodRounds,
      methodRounds(defaults.methods),
    )
    .option(
      '--preset <name>',
      `preset of ${defaults.first} and of the methods that differ from it in some values`,
      defaults.preset,
    )
    .option('--directory <dir>', 'where the runs lie', `runs/${name}`)
    .option('--set <key=value>', 'a value that all methods share; may be repeated', keyValue, {})
    .option('--figure <file>', 'SVG of the comparison', join(DOCS, 'images', `${name}.svg`))
    .option('--note <text>', 'a sentence for the log', '')
    .action((options: Options) => compareMethods(defaults.title, defaults.first, options));
}

async function compareMethods(
  title: string,
  first: string,
  { directory, figure, note, ...options }: Options,
): Promise<void> {
  const asked = { ...options, first, directory: resolve(directory) };
  const {
    results,
    comparison,
    summary,
    portfolio: withLemmas,
  } = await selfplayVersusBaselines(asked, (line) => console.error(line));
  const table = comparisonTable(comparison);
  const { statements, portfolio } = summary;
  const isTried = withLemmas.length > 0 && portfolio;
  const entry = [
    `## ${new Date().toISOString().slice(0, 10)} · ${title}`,
    '',
    `Rounds of each method, seed by seed: ${results.map(({ method, runs }) => `${method} ${runs.map(({ summary: { rounds } }) => rounds.length - 1).join(', ')}`).join('; ')}. Seeds ${options.seeds.join(', ')}, ${statements} training statements. Preset ${options.preset}; values for all: ${described(options.set)}. ${note}`.trimEnd(),
    '',
    table,
    ...(isTried ? ['', portfolioLine(portfolio, withLemmas)] : []),
    '',
    `Figure: [images/${basename(figure)}](images/${basename(figure)}).`,
  ].join('\n');
  const share = ({ proved, statements: all }: { proved: number; statements: number }): number => proved / all;
  const levels: Level[] = isTried
    ? [
        { label: 'fixed list of scripts', share: share(portfolio) },
        { label: 'the same with lemmas of self-play', share: spreadOf(withLemmas.map(share)).mean },
      ]
    : [];
  await writeFile(figure, await comparisonFigure(results, levels));
  await writeToLog(entry);
  console.log(table);
}

const program = new Command('experiment');
comparing('selfplay-vs-baselines', {
  title: 'Self-play against baselines',
  first: SELF_PLAY,
  methods: 'random-conjectures,growing-library,fixed-library,expert-iteration,parallel-sampling',
  preset: 'embedded',
  rounds: 3,
});
comparing('learning', {
  title: 'A loop that learns against loops that do not',
  first: LEARNING[0],
  methods: LEARNING.slice(1).join(','),
  preset: 'core',
  rounds: 4,
}).description(
  'compares a learned and a fixed order of composed actions in a loop without a model. Needs a prepared set of Lean’s core library',
);
program
  .command('portfolio')
  .description('tries the portfolio of scripts on the problem sets, and keeps what it proves in data/portfolio.jsonl')
  .action(async () => {
    const table = await recordPortfolio((line) => console.error(line));
    await writeToLog(`## ${new Date().toISOString().slice(0, 10)} · The portfolio of scripts\n\n${table}`);
    console.log(table);
  });
program
  .command('library')
  .description('tries scripts, and scripts that name premises, on a random sample of a set of compiled theorems')
  .argument('<set>', 'a set that `bin/stp data prepare --from lean` made')
  .option('--statements <n>', 'statements of the sample', Number, 300)
  .option('--seed <n>', 'seed of the sample', Number, 1)
  .option('--premises <n>', 'premises that scripts name', Number, 8)
  .action(async (set: string, options: Omit<LibrarySample, 'set'>) => {
    console.log(await libraryExperiment({ set, ...options }, (line) => console.error(line)));
  });
program
  .command('order')
  .description('tries all actions on statements of a prepared set, once, and compares orders of them by replay')
  .requiredOption('--set <name>', 'prepared problem set with premises')
  .option('--record <file>', 'where the verdicts are kept; what is there is not tried again', 'runs/actions.jsonl')
  .option('--train <n>', 'training statements', Number, 120)
  .option('--held-out <n>', 'held-out statements', Number, 60)
  .option('--premises <n>', 'premises offered to each', Number, 24)
  .option('--seeds <list>', 'splits of the recorded statements by module', seedsValue, [1, 2, 3])
  .option('--rounds <n>', 'rounds of a replay', roundsValue, 20)
  .option('--ms <n>', 'Lean’s time for a statement in a round, ms', Number, 50)
  .action(async ({ seeds, rounds, ms, record, ...asked }: OrderOptions) => {
    const path = resolve(record);
    await recordActions({ ...asked, path }, (line) => console.error(line));
    const replay = replayOrders(await readActionRecord(path), { seeds, rounds, msPerStatement: ms });
    const table = replayTable(replay, [0.05, 0.1, 0.2, 0.4, 1]);
    const date = new Date().toISOString().slice(0, 10);
    await writeToLog(`## ${date} · Orders of actions, replayed on ${asked.set}\n\n${table}`);
    console.log(table);
  });
program
  .command('library-set')
  .description('writes the problem set `hindsight`: the library’s theorems over copies of its functions')
  .action(async () => console.log(`${await writeLibrarySet()} statements in data/problems/hindsight`));
program
  .command('tried-conjectures <run>')
  .description('writes data/sft/conjectures.jsonl from the conjectures of a run over the set `hindsight`')
  .action(async (run: string) => {
    const { tried, paying } = await keepTriedConjectures(run);
    console.log(`${tried} conjectures, ${paying} of which paid`);
  });
program
  .command('ranker <name> <runs...>')
  .description('writes data/rankers/NAME.bin, a ranker of actions trained on the tries of these runs')
  .action(async (name: string, runs: string[]) => {
    const { tries, proved } = await writeRanker(name, runs);
    console.log(`${tries} tries, ${proved} of which proved a statement`);
  });
await program.parseAsync();
