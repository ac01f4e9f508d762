/**
 * Limits of requests and tokens a minute that all processes of a machine keep together. Who wants to send asks a small database
 * (SQLite, in the cache folder) that knows what was sent in the last minute, and waits until there is room: in no minute are there
 * more than allowed, whoever sends, and nothing that a killed process has sent is forgotten. Other machines are not seen: each
 * gets its share of a limit by its configuration.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../../data/turns.ts';

/** A minute, and what requests may differ in their way to the server: there, too, no minute has more than allowed. */
const WINDOW_MS_DEFAULT = 60_000 + 500;
/** How long a process waits for another that has the database. */
const BUSY_MS = 10_000;
/** As long as no timer of the kernel may be early. */
const TIMER_MS = 2;

/** Shared by the processes of this machine that have one cache folder. */
export const rateLimitsFile = (cacheDirectory: string): string => join(cacheDirectory, 'judges', 'rate-limits.sqlite');

export interface RateLimit {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

export interface Clock {
  /** Milliseconds, the same for all processes of the machine. */
  now(): number;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Since the machine started: no correction of the time of day makes a minute shorter. */
const machineClock: Clock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

export interface RateLimitsOptions {
  readonly windowMs?: number;
  readonly clock?: Clock;
}

/** What was sent, to be corrected when the answer says how many tokens it took. */
export type Sent = number;

export class RateLimits {
  readonly #database: DatabaseSync;
  readonly #windowMs: number;
  readonly #clock: Clock;
  /** One request of an account waits at the database; the others of this process stand behind it. */
  readonly #lines = new Map<string, Turns>();

  /** Opens or makes the database in the file. */
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
   * @param account address and key: what the server counts by
   * @param tokens of prompt and answer, estimated
   */
  async admit(account: string, tokens: number, limit: RateLimit, signal: AbortSignal): Promise<Sent> {
    const line = this.#lines.get(account) ?? new Turns();
    this.#lines.set(account, line);
    return line.run(
      1,
      async () => {
        for (;;) {
          signal.throwIfAborted();
          const tried = this.#try(account, tokens, limit);
          if (tried.sent !== null) return tried.sent;
          await this.#clock.wait(tried.waitMs + TIMER_MS, signal).catch((error: unknown) => {
            throw signal.aborted ? signal.reason : error;
          });
        }
      },
      signal,
    );
  }

  /** What a request took after all. */
  correct(sent: Sent, tokens: number): void {
    this.#database.prepare('UPDATE sent SET tokens = ? WHERE id = ?').run(tokens, sent);
  }

  /** Nobody sends for so long: the server has said that it is full. */
  hold(account: string, milliseconds: number): void {
    const until = this.#clock.now() + Math.min(milliseconds, this.#windowMs);
    this.#database
      .prepare('INSERT INTO held VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET until = max(until, excluded.until)')
      .run(account, until);
  }

  close(): void {
    this.#database.close();
  }

  #try(account: string, tokens: number, limit: RateLimit): { sent: Sent } | { sent: null; waitMs: number } {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const now = this.#clock.now();
      // What lies in the future is of a time before the machine started anew.
      this.#database.prepare('DELETE FROM sent WHERE at <= ? OR at > ?').run(now - this.#windowMs, now);
      this.#database.prepare('DELETE FROM held WHERE until <= ? OR until > ?').run(now, now + this.#windowMs);
      const waitMs = this.#waitMs(account, tokens, limit, now);
      if (waitMs > 0) return { sent: null, waitMs };
      const { lastInsertRowid } = this.#database
        .prepare('INSERT INTO sent (account, at, tokens) VALUES (?, ?, ?)')
        .run(account, now, tokens);
      return { sent: Number(lastInsertRowid) };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  #waitMs(account: string, tokens: number, { requestsPerMinute, tokensPerMinute }: RateLimit, now: number): number {
    const select = (what: string) => this.#database.prepare(`SELECT ${what} FROM sent WHERE account = ? ORDER BY at`);
    const leaves = (at: unknown): number => Number(at) + this.#windowMs - now;
    const held = this.#database.prepare('SELECT until FROM held WHERE account = ?').get(account);
    let waitMs = held === undefined ? 0 : Number(held.until) - now;
    const total = select('count(*) AS requests, total(tokens) AS tokens').get(account)!;
    const over = requestsPerMinute === null ? 0 : Number(total.requests) + 1 - requestsPerMinute;
    if (over > 0) {
      const row = this.#database.prepare('SELECT at FROM sent WHERE account = ? ORDER BY at LIMIT 1 OFFSET ?');
      waitMs = Math.max(waitMs, leaves(row.get(account, over - 1)!.at));
    }
    // A request larger than the limit waits until it is alone.
    let tokensOver = tokensPerMinute === null ? 0 : Number(total.tokens) + tokens - tokensPerMinute;
    if (tokensOver > 0)
      for (const row of select('at, tokens').iterate(account)) {
        tokensOver -= Number(row.tokens);
        waitMs = Math.max(waitMs, leaves(row.at));
        if (tokensOver <= 0) break;
      }
    return waitMs;
  }
}
