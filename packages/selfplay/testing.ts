/** Entry for tests and benches of other packages that use `@stp/selfplay`. Production code imports `index.ts`. */
export { slotTable } from './slots/slot-table.ts';
export { fromSlots, toSlots } from './slots/slot-text.ts';
