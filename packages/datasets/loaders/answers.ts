/** Treats a row whose definition is left open for an answer: `given` puts in the published one, `none` leaves the row out. */
export const ANSWERS = ['given', 'none'] as const;
export type Answers = (typeof ANSWERS)[number];
