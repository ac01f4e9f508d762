/** Like `testing.ts`, for tests alone: what is opened here is closed by hooks of the test runner, which no bench has. */
export {
  atEnd,
  checkpointDirectory,
  clientOf,
  openEmbedded,
  openRemote,
  PROMPTS,
  serveGenerator,
} from './testing/served.ts';
