/** Serves the verifier, goals, tactics and search to agents by the Model Context Protocol. */
export { KeptCertificates } from './certificates.ts';
export { serveHttp } from './http.ts';
export { ProjectFolder } from './project-folder.ts';
export { createServer, OpenCalls } from './server.ts';
export { serveStdio } from './stdio.ts';
export type { LeanBench, ToolCall, Workbench } from './workbench.ts';
