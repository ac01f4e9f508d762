/**
 * Limits on requests and tokens a minute that all processes of a machine share. A sender asks a small database (SQLite,
 * in the cache folder) for a time slot. Slots for requests are evenly spaced: servers count other minutes than we do,
 * many count seconds, and bursts arrive later than they were sent. Tokens are counted over the last minute. Requests of
 * killed processes stay counted. Other machines are unknown: the configuration gives each its share of a limit.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '@stp/base';

/**
 * A minute, plus the difference in transit time between two requests, so the server's minutes stay below the limit too.
 */
const WINDOW_MS_DEFAULT = 60_000 + 1_200;
/** Time that a process waits for another that has locked the database, ms. */
const BUSY_MS = 10_000;

/** Returns the database file, which the machine's processes with one cache folder share. */
export const rateLimitsFile = (cacheDirectory: string): string => join(cacheDirectory, 'judges', 'rate-limits.sqlite');

export interface RateLimit {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

export interface Clock {
  /** Returns milliseconds, the same for all processes of the machine. */
  now(): number;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Time since the machine's start, so a correction of the time of day shortens no minute. */
const machineClock: Clock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

export interface RateLimitsOptions {
  readonly windowMs?: number;
  readonly clock?: Clock;
}

/** Id of a sent request, whose tokens are corrected after the answer. */
export type Sent = number;

export class RateLimits {
  readonly #database: DatabaseSync;
  readonly #windowMs: number;
  readonly #clock: Clock;
  /** Queues by account: one request waits at the database, and this process's other requests wait behind it. */
  readonly #lines = new Map<string, Semaphore>();

  /** Opens or creates the database file. */
  constructor(path: string, { windowMs = WINDOW_MS_DEFAULT, clock = machineClock }: RateLimitsOptions = {}) {
    mkdirSync(dirname(path), { recursive: true });
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#database = new DatabaseSync(path, { timeout: BUSY_MS });
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS sent (id INTEGER PRIMARY KEY, account TEXT NOT NULL, at REAL NOT NULL, tokens INTEGER NOT NULL);
      CREATE INDEX IF NOT EXISTS sent_account ON sent (account, at);
      CREATE TABLE IF NOT EXISTS held (account TEXT PRIMARY KEY, until REAL NOT NULL);
    `);
  }

  /**
   * Waits until the request may be sent, and counts it as sent.
   *
   * @param account hash of address and key, by which the server counts
   * @param tokens estimated tokens of prompt and answer
   */
  async admit(account: string, tokens: number, limit: RateLimit, signal: AbortSignal): Promise<Sent> {
    const line = this.#lines.get(account) ?? new Semaphore();
    this.#lines.set(account, line);
    return line.run(
      1,
      async () => {
        for (;;) {
          signal.throwIfAborted();
          const { sent, waitMs } = this.#try(account, tokens, limit);
          if (waitMs > 0)
            await this.#clock.wait(waitMs, signal).catch((error: unknown) => {
              throw signal.aborted ? signal.reason : error;
            });
          if (sent !== null) return sent;
        }
      },
      signal,
    );
  }

  /** Corrects the tokens of a sent request. */
  correct(sent: Sent, tokens: number): void {
    this.#database.prepare('UPDATE sent SET tokens = ? WHERE id = ?').run(tokens, sent);
  }

  /** Stops sending for this time, because the server reported that it is full. */
  hold(account: string, milliseconds: number): void {
    const until = this.#clock.now() + Math.min(milliseconds, this.#windowMs);
    this.#database
      .prepare('INSERT INTO held VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET until = max(until, excluded.until)')
      .run(account, until);
  }

  close(): void {
    this.#database.close();
  }

  /** Returns a reserved slot and the time until it; or the time until one may be free. */
  #try(account: string, tokens: number, limit: RateLimit): { sent: Sent | null; waitMs: number } {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const now = this.#clock.now();
      // Times far in the future date from before the machine's restart.
      for (const [table, column] of [
        ['sent', 'at'],
        ['held', 'until'],
      ])
        this.#database
          .prepare(`DELETE FROM ${table} WHERE ${column} <= ? OR ${column} > ?`)
          .run(now - this.#windowMs, now + this.#windowMs);
      const untilTokensMs = this.#untilTokensMs(account, tokens, limit, now);
      if (untilTokensMs > 0) return { sent: null, waitMs: untilTokensMs };
      const sendAt = this.#sendAt(account, limit, now);
      const { lastInsertRowid } = this.#database
        .prepare('INSERT INTO sent (account, at, tokens) VALUES (?, ?, ?)')
        .run(account, sendAt, tokens);
      return { sent: Number(lastInsertRowid), waitMs: sendAt - now };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  #sendAt(account: string, { requestsPerMinute }: RateLimit, now: number): number {
    const held = this.#database.prepare('SELECT until FROM held WHERE account = ?').get(account);
    const { last } = this.#database.prepare('SELECT max(at) AS last FROM sent WHERE account = ?').get(account)!;
    const free = held === undefined ? now : Math.max(now, Number(held.until));
    if (last === null || requestsPerMinute === null) return free;
    return Math.max(free, Number(last) + this.#windowMs / requestsPerMinute);
  }

  #untilTokensMs(account: string, tokens: number, { tokensPerMinute }: RateLimit, now: number): number {
    if (tokensPerMinute === null) return 0;
    const sum = this.#database.prepare('SELECT total(tokens) AS tokens FROM sent WHERE account = ?').get(account)!;
    // A request larger than the limit waits until no other is counted.
    let over = Number(sum.tokens) + tokens - tokensPerMinute;
    let waitMs = 0;
    for (const row of this.#database
      .prepare('SELECT at, tokens FROM sent WHERE account = ? ORDER BY at')
      .iterate(account)) {
      if (over <= 0) break;
      over -= Number(row.tokens);
      waitMs = Number(row.at) + this.#windowMs - now;
    }
    return waitMs;
  }
}
