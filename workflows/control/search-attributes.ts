/** Typed search attributes of runs and rounds; the server must know them (`infra/temporal/search-attributes.ts`). */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';

const StpRun = defineSearchAttributeKey('StpRun', SearchAttributeType.KEYWORD);
const StpRound = defineSearchAttributeKey('StpRound', SearchAttributeType.INT);
const StpStage = defineSearchAttributeKey('StpStage', SearchAttributeType.KEYWORD);
const StpModel = defineSearchAttributeKey('StpModel', SearchAttributeType.KEYWORD);
const StpPassRate = defineSearchAttributeKey('StpPassRate', SearchAttributeType.DOUBLE);

export interface RunFacts {
  readonly run?: string;
  readonly round?: number;
  readonly stage?: string;
  readonly model?: string;
  /** Share of the dataset's statements that are proved so far. */
  readonly passRate?: number;
}

export function publish(facts: RunFacts): void {
  upsertSearchAttributes([
    ...(facts.run === undefined ? [] : [{ key: StpRun, value: facts.run }]),
    ...(facts.round === undefined ? [] : [{ key: StpRound, value: facts.round }]),
    ...(facts.stage === undefined ? [] : [{ key: StpStage, value: facts.stage }]),
    ...(facts.model === undefined ? [] : [{ key: StpModel, value: facts.model }]),
    ...(facts.passRate === undefined ? [] : [{ key: StpPassRate, value: facts.passRate }]),
  ]);
}
