/**
 * What to do with a row whose definition is left open for an answer: `given` fills in the published one, `none` drops
 * the row.
 */
export const ANSWERS = ['given', 'none'] as const;
export type Answers = (typeof ANSWERS)[number];
