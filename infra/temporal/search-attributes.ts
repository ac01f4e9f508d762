/** The search attributes of our workflows. A server must know them before the first workflow starts. */

export const SEARCH_ATTRIBUTES = {
  /** Id of the run, also on its child workflows. */
  StpRun: 'Keyword',
  /** Round number, from 1. */
  StpRound: 'Int',
  /** The present stage: `conjecture`, `verify`, `train` … */
  StpStage: 'Keyword',
  /** Content hash of the current weights. */
  StpModel: 'Keyword',
  /** Share of statements proved in the last round, 0 to 1. */
  StpPassRate: 'Double',
} as const satisfies Readonly<Record<string, SearchAttributeType>>;

export type SearchAttributeType = 'Bool' | 'Datetime' | 'Double' | 'Int' | 'Keyword' | 'KeywordList' | 'Text';
