/** Readers of other systems' files: CSV, Parquet. Importing this file loads them. */
export type { Item } from './formats/item.ts';
export { llmproofsFile } from './formats/llmproofs.ts';
export { readItems } from './formats/read-items.ts';
export { ownRow } from './formats/rows.ts';
export { verlFile } from './formats/verl.ts';
