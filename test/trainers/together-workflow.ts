/** The training over all machines as a workflow of its own, for its test. */
export { trainModel } from '../../workflows/stages/train.ts';
