/**
 * Search: states expanded per second, and Lean's share of the time that Lean and the model work. The model samples at its real
 * cost (fresh weights of the default size); tactics of a fixed list replace its text, so that searches continue.
 */
import { join } from 'node:path';
import { Turns } from '@stp/base';
import { proverOf, resolveConfig } from '@stp/config';
import { sumSearches } from '@stp/config/records';
import { embeddedGenerator } from '@stp/language-model';
import { openSteps } from '@stp/lean-explore';
import { LIBRARY_HEADER, limitClasses } from '@stp/lean-verifier';
import { plainStateForm } from '@stp/selfplay';
import { BatchedSamples } from '../../activities/provers/batched-samples.ts';
import { searchStatement } from '../../activities/provers/steps/search-statement.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { row } from './measure.ts';
import { freshCheckpoint } from './model-sampling.ts';

const STATEMENTS = 24;
const PROCESSES = 2;
const SEARCHES_AT_ONCE = 8;
const TACTICS = ['rfl', 'simp_all', 'omega', 'intro h', 'induction n', 'cases n', 'constructor', 'grind'];
/** About the length of the tactics that a trained model writes. */
const MAX_TOKENS = 12;

export async function benchSearch(directory: string): Promise<void> {
  const config = resolveConfig({ preset: 'embedded', set: { 'prover.mode': 'steps', 'prover.search.expansions': 8 } });
  const environment = await leanEnvironment(workerSettings(), () => undefined);
  const statements = (await Array.fromAsync(repositorySources().problemSet('nng'))).slice(0, STATEMENTS);
  const texts = statements.map(({ statement }) => statement);
  await freshCheckpoint(join(directory, 'fresh'), config.model, texts);
  const model = await embeddedGenerator({ threads: config.modelThreads, runMark: 'bench' })(join(directory, 'fresh'));
  const generator: Pick<typeof model, 'sample'> = {
    async sample(...asked) {
      const completions = await model.sample(...asked);
      return completions.map((one) => {
        const index = Number(one.id) % TACTICS.length;
        return { ...one, text: TACTICS[index]!, finish: 'stop', logprob: -index };
      });
    },
  };
  const { signal } = new AbortController();
  const samples = new BatchedSamples(generator, { temperature: 1, topP: 1, maxTokens: MAX_TOKENS }, signal);
  const { heartbeatsMax, memoryBytesMax, candidateTimeoutMs: deadlineMs } = limitClasses(config.verification).big;
  const common = { environment, libraryHeader: LIBRARY_HEADER, workingDirectory: directory };
  const places = Array.from({ length: PROCESSES }, () => ({
    steps: openSteps({ ...common, heartbeatsMax, memoryBytesMax }),
    turns: new Turns(),
  }));
  const width = new Turns();
  const began = performance.now();
  const searches = statements.map((statement, index) =>
    width.run(SEARCHES_AT_ONCE, () =>
      searchStatement({
        statement,
        stream: ['bench', statement.id],
        ...places[index % PROCESSES]!,
        samples,
        words: null,
        formOf: plainStateForm,
        search: proverOf(config, 'steps').search,
        limits: { deadlineMs, signal },
      }),
    ),
  );
  const figures = sumSearches((await Promise.all(searches)).map((one) => one.figures));
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all(places.map(({ steps }) => steps.close()));
  await model.close();
  row(`search, ${PROCESSES} Lean processes: states expanded`, figures.expansions / seconds, 'states/s', 1);
  row('search: tactics run', figures.steps / seconds, 'tactics/s', 1);
  row("search: Lean's share", (100 * figures.leanMs) / (figures.leanMs + samples.modelMs), '%');
}
