/**
 * The Lean service's metrics for Prometheus. Labels are routes, statuses and outcomes; they never contain code or other
 * text.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LeanPool, PoolStats } from '../runtime/pool/lean-pool.ts';
import type { SnippetFacts } from './check-snippet.ts';

/** Seconds: from a proof of a few milliseconds to the maximum timeout. */
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** Bytes: from `import Init` to Mathlib with space to work. */
const BYTES_BUCKETS = [128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384].map((mebibytes) => mebibytes * 1_048_576);

export class ServeMetrics {
  readonly #registry = new Registry();
  readonly requests = new Counter({
    name: 'stp_lean_requests_total',
    help: 'Requests answered, by route and status; 499 where the client left first',
    labelNames: ['route', 'status'],
    registers: [this.#registry],
  });
  readonly requestSeconds = new Histogram({
    name: 'stp_lean_request_seconds',
    help: 'From the request to the end of its answer',
    labelNames: ['route'],
    buckets: SECONDS_BUCKETS,
    registers: [this.#registry],
  });
  readonly requestsInFlight = new Gauge({
    name: 'stp_lean_requests_in_flight',
    help: 'Check requests under way, waiting ones included',
    registers: [this.#registry],
  });
  readonly #checks = new Counter({
    name: 'stp_lean_checks_total',
    help: 'Snippets checked, by how the check ended',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #queueSeconds = this.#seconds('stp_lean_queue_seconds', 'Wait of a snippet for a process');
  readonly #headerSeconds = this.#seconds('stp_lean_header_seconds', 'Start and imports of a process that was new');
  readonly #checkSeconds = this.#seconds('stp_lean_check_seconds', 'Wall time of a check, imports not counted');
  readonly #processorSeconds = this.#seconds('stp_lean_check_processor_seconds', 'Processor time of a check');
  readonly #residentBytes = new Histogram({
    name: 'stp_lean_check_resident_bytes',
    help: 'Highest resident memory during a check',
    buckets: BYTES_BUCKETS,
    registers: [this.#registry],
  });

  constructor(pool: LeanPool) {
    collectDefaultMetrics({ register: this.#registry });
    this.#gauge(pool, 'stp_lean_processes', 'Lean processes at most', (stats) => stats.processes);
    this.#gauge(pool, 'stp_lean_processes_busy', 'Lean processes at work', (stats) => stats.busy);
    this.#gauge(pool, 'stp_lean_waiting', 'Snippets that wait for a process', (stats) => stats.waiting);
    this.#gauge(
      pool,
      'stp_lean_utilisation_ratio',
      'Share of process time spent working',
      (stats) => stats.utilisation,
    );
    this.#total(pool, 'stp_lean_processes_started_total', 'Lean processes started', (stats) => stats.started);
    this.#total(pool, 'stp_lean_processes_recycled_total', 'Lean processes ended for age', (stats) => stats.recycled);
    this.#total(pool, 'stp_lean_processes_reused_total', 'Checks on a warm process', (stats) => stats.reused);
  }

  observe({ outcome, times, run }: SnippetFacts): void {
    this.#checks.inc({ outcome });
    if (times !== null) {
      this.#queueSeconds.observe(times.queueMs / 1_000);
      if (times.headerMs > 0) this.#headerSeconds.observe(times.headerMs / 1_000);
    }
    if (run !== null) {
      this.#checkSeconds.observe(run.checkMs / 1_000);
      this.#processorSeconds.observe(run.cpuMs / 1_000);
      this.#residentBytes.observe(run.peakResidentBytes);
    }
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #seconds(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: SECONDS_BUCKETS, registers: [this.#registry] });
  }

  #gauge(pool: LeanPool, name: string, help: string, read: (stats: PoolStats) => number): void {
    const collect = (): void => gauge.set(read(pool.stats()));
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect });
  }

  /** The pool keeps totals, so each scrape adds the difference since the last. */
  #total(pool: LeanPool, name: string, help: string, read: (stats: PoolStats) => number): void {
    let seen = 0;
    const collect = (): void => {
      const now = read(pool.stats());
      counter.inc(now - seen);
      seen = now;
    };
    const counter: Counter = new Counter({ name, help, registers: [this.#registry], collect });
  }
}
