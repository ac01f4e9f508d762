/** Entry for tests and benches of other packages that use `@stp/selfplay`. Production code imports `index.ts`. */
export { noveltyTokens } from './novelty.ts';
export { Postings } from './postings.ts';
export { slotTable } from './slots/slot-table.ts';
export { fromSlots, toSlots } from './slots/slot-text.ts';
