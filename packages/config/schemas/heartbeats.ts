/** Constants that workflows and their activities share, so that each notices when the other ends. */

/**
 * A worker whose activity sends no heartbeat for this long is lost. The time is longer where heartbeats are rare by
 * design.
 */
export const HEARTBEAT_TIMEOUT_MS = 20_000;
