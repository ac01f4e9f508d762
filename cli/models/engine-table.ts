/** The table of engines that `bin/stp weights show` prints: which can run a model, at what memory and speed, and which are here. */
import { printableLine } from '@stp/base';
import type { EngineFit, SamplingSpeed } from '@stp/language-model';
import type { EngineHere } from '../../infra/engines-here.ts';
import { ENGINE_NAMES } from '../shared/engine-names.ts';
import { table } from '../shared/table.ts';

/** An engine, whether this machine has it, and its speed where it was measured. */
export interface EngineRow extends EngineFit {
  readonly here: EngineHere;
  /** Null if it was not measured. */
  readonly speed: SamplingSpeed | null;
}

const UNFIT: Readonly<Record<EngineFit['does'], string>> = {
  samples: 'cannot sample',
  trains: 'cannot train',
  converts: 'cannot convert',
};
const PROBLEM_CHARS_MAX = 160;

/** Joins what a model needs with what this machine has. */
export function engineRows(
  fits: readonly EngineFit[],
  engines: readonly EngineHere[],
  speeds: ReadonlyMap<EngineFit, SamplingSpeed>,
): EngineRow[] {
  return fits.map((fit) => ({
    ...fit,
    here: engines.find(({ engine }) => engine === fit.engine)!,
    speed: speeds.get(fit) ?? null,
  }));
}

/** Returns the table, and a line for each engine that could run the model and is not here. */
export function engineText(rows: readonly EngineRow[]): string {
  const isMeasured = rows.some(({ speed }) => speed !== null);
  const head = ['engine', '', 'here', 'memory', ...(isMeasured ? ['tokens/s'] : []), 'estimated from'];
  const lines = rows.map(({ engine, does, problem, gib, formula, here, speed }) => [
    ENGINE_NAMES[engine],
    problem === null ? does : UNFIT[does],
    problem !== null ? '' : here.found === null ? 'no' : 'yes',
    gib === null ? '' : `${gib.toFixed(1)} GiB`,
    ...(isMeasured ? [speed === null ? '' : speed.tokensPerSecond.toFixed(1)] : []),
    printableLine(problem ?? formula).slice(0, PROBLEM_CHARS_MAX),
  ]);
  return [table([head, ...lines]), ...lackLines(rows)].join('\n');
}

/** Says how to get the engines that could run the model and are not here; one line for engines of one installation. */
function lackLines(rows: readonly EngineRow[]): string[] {
  const commands = new Map<string, { readonly reason: string; readonly names: Set<string> }>();
  for (const { engine, problem, here } of rows) {
    if (problem !== null || here.lack === null) continue;
    const { reason, command } = here.lack;
    const known = commands.get(command) ?? { reason, names: new Set() };
    known.names.add(ENGINE_NAMES[engine]);
    commands.set(command, known);
  }
  if (commands.size === 0) return [];
  const lines = [...commands].map(
    ([command, { reason, names }]) => `  ${[...names].join(', ')} (${printableLine(reason)}): ${command}`,
  );
  return ['', 'to get what is not here; --python names another Python:', ...lines];
}
