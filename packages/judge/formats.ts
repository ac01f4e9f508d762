/** Files of other systems: CSV, Parquet. This entry loads their readers. */
export type { Item } from './formats/item.ts';
export { llmproofsFile } from './formats/llmproofs.ts';
export { readItems } from './formats/read-items.ts';
export { ownRow } from './formats/rows.ts';
export { verlFile } from './formats/verl.ts';
