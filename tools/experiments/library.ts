/**
 * Tries the list of scripts, and then scripts that name premises, on a random sample of a set of compiled theorems.
 * Prints by area how many they prove, and the share of Lean's processor time for starts and imports.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { Statement } from '@stp/config/records';
import { premiseScripts, provePortfolio } from '@stp/lean-explore';
import { orderKey } from '@stp/selfplay';
import { lemmaOffers } from '../../activities/lemma-shelf.ts';
import { assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';

export interface LibrarySample {
  readonly set: string;
  readonly statements: number;
  readonly seed: number;
  /** Number of premises that scripts name. */
  readonly premises: number;
}

/** No sandbox: the scripts are ours, and the processor time of processes in a sandbox cannot be measured. */
const SET = { 'verification.sandbox': 'off' };
/** Linux's units of processor time in a second. */
const TICKS = 100;

/** Returns a table by area, and a line about loading. */
export async function libraryExperiment(asked: LibrarySample, say: (line: string) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stp-library-'));
  const settings = { ...workerSettings(), storeUri: pathToFileURL(folder).href };
  const environment = await leanEnvironment(settings, say);
  const ports = await assemblePorts(settings, environment);
  try {
    const { verification: limits } = resolveConfig({ preset: 'core', set: SET, flags: {} });
    const all = await Array.fromAsync(ports.sources.problemSet(asked.set));
    const inOrder = all.toSorted((a, b) => (key(asked.seed, a) < key(asked.seed, b) ? -1 : 1));
    const chosen = new Set(inOrder.slice(0, asked.statements));
    // Keeps the set's order, in which statements of one header are together.
    const sample = all.filter((one) => chosen.has(one));
    const { signal } = new AbortController();
    const run = 'library';
    const verifier = await ports.verifier(run, limits);
    const offers = await lemmaOffers(
      ports.sources,
      { lemmasShown: asked.premises, lemmaTokens: 0, premisesFrom: [asked.set] },
      [],
    );
    const tools = (stage: string) => ({
      contexts: (its: Parameters<typeof ports.contexts>[1]) => ports.contexts(run, its, limits, signal),
      check: (candidates: Parameters<typeof verifier.check>[0]) =>
        verifier.check(candidates, { signal, explains: () => false }),
      onProgress: (done: number) => say(`${stage}: ${done}`),
    });
    const beforeMs = childrenMs();
    // All stages at once, because each stage would import every header again.
    const listed = await provePortfolio(sample, { ...tools('list'), chosen: (_, stages) => [stages.flat()] });
    const listMs = childrenMs() - beforeMs;
    const open = sample.filter((_, index) => listed[index]!.proof === null);
    const named = await provePortfolio(open, {
      ...tools('premises'),
      chosen: () => [],
      further: (one, context) =>
        premiseScripts(
          context,
          offers(one)
            .offer()
            .lemmas.map(({ written }) => written),
        ),
    });
    const premisesMs = childrenMs() - beforeMs - listMs;
    const byId = new Map(open.map(({ id }, index) => [id, named[index]!]));
    const rows = sample.map((statement, index) => ({
      statement,
      listed: listed[index]!,
      named: byId.get(statement.id),
    }));
    return [...table(rows), '', loading('list', listed, listMs), loading('premises', named, premisesMs)].join('\n');
  } finally {
    await ports.close();
    await rm(folder, { recursive: true, force: true });
  }
}

type PortfolioOutcome = Awaited<ReturnType<typeof provePortfolio>>[number];

const key = (seed: number, { id }: Statement): string => orderKey(seed, 'library', id);

interface Row {
  readonly statement: Statement;
  readonly listed: PortfolioOutcome;
  /** Undefined if the list proved it. */
  readonly named: PortfolioOutcome | undefined;
}

function table(rows: readonly Row[]): string[] {
  const line = (name: string, its: readonly Row[]): string => {
    const byList = its.filter(({ listed }) => listed.proof !== null).length;
    const both = byList + its.filter(({ named }) => (named?.proof ?? null) !== null).length;
    const share = (count: number): string => `${count} (${((100 * count) / its.length).toFixed(1)} %)`;
    const seconds = (ms: number): string => (ms / 1_000).toFixed(0);
    const listMs = its.reduce((sum, { listed }) => sum + listed.leanMs, 0);
    const namedMs = its.reduce((sum, { named }) => sum + (named?.leanMs ?? 0), 0);
    return `| ${name} | ${its.length} | ${share(byList)} | ${share(both)} | ${seconds(listMs)} | ${seconds(namedMs)} |`;
  };
  const areas = [...Map.groupBy(rows, ({ statement }) => statement.labels.at(-2) ?? '')].sort(
    ([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1),
  );
  return [
    '| area | statements | list | list and premises | seconds of Lean, list | premises |',
    '|---|---|---|---|---|---|',
    ...areas.map(([area, its]) => line(area, its)),
    line('**all**', rows),
  ];
}

function loading(stage: string, outcomes: readonly PortfolioOutcome[], spentMs: number): string {
  const checkMs = outcomes.reduce((sum, { leanMs }) => sum + leanMs, 0);
  const tried = outcomes.reduce((sum, one) => sum + one.tried, 0);
  const unread = outcomes.filter((one) => one.unread !== '').length;
  return `${stage}: ${tried} scripts, ${(checkMs / 1_000).toFixed(0)} of ${(spentMs / 1_000).toFixed(0)} s of all processes of Lean; ${unread} statements were not read`;
}

/** Returns the processor time of ended children of this process, ms. */
function childrenMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return ((Number(fields[13]) + Number(fields[14])) * 1_000) / TICKS;
}
