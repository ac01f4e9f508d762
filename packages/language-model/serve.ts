/** The HTTP server over a checkpoint. It loads a web server. */
export { DEFAULT_LIMITS } from './serve/limits.ts';
export { ServedModel } from './serve/served-model.ts';
export { startModelServer } from './serve/server.ts';
