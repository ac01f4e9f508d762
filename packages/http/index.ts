/** Code shared by the HTTP servers and clients of the other packages. */
export { answerUnroutable } from './answer-unroutable.ts';
export { BearerKeys } from './bearer-keys.ts';
export { discardBody } from './discard-body.ts';
export { type Answer, HttpClient, type HttpFailures, parseRetryAfter, type StreamEnd } from './http-client.ts';
export { listen } from './listen.ts';
export { isLoopbackHost } from './loopback.ts';
export { quoted } from './quoted.ts';
export { addRequestMetrics } from './request-metrics.ts';
export { type Outcome, withRetries } from './retry.ts';
export { CLIENT_GONE_STATUS, type WorkEndings, WorkTracker } from './work-tracker.ts';
