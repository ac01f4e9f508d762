/** Constants that workflows and their activities share, so that each notices the other's end. */

/** A worker whose activity is silent for so long is gone; longer only where so much is in flight that heartbeats come seldom. */
export const HEARTBEAT_TIMEOUT_MS = 20_000;
