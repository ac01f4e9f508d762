/** Like `testing.ts`, for tests alone: what is opened here is closed by hooks of the test runner, which no bench has. */
export {
  atEnd,
  checkpointDirectory,
  clientOf,
  openEmbedded,
  openRemote,
  serveGenerator,
} from './testing/served.ts';
export { PROMPTS } from './testing/small-checkpoint.ts';
