/** The server's metrics for Prometheus. Labels are routes and statuses; they contain no prompt and no text. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds: from a short completion on an idle laptop to the default time limit. */
const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export class ServeMetrics {
  readonly #registry = new Registry();
  readonly requests = new Counter({
    name: 'stp_serve_requests_total',
    help: 'Requests answered, by route and status; 499 where the client left first',
    labelNames: ['route', 'status'],
    registers: [this.#registry],
  });
  readonly latencySeconds = new Histogram({
    name: 'stp_serve_request_seconds',
    help: 'From the request to the end of its answer',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers: [this.#registry],
  });
  readonly firstTextSeconds = new Histogram({
    name: 'stp_serve_first_text_seconds',
    help: 'From a streamed request to the first piece of its answer',
    buckets: LATENCY_BUCKETS,
    registers: [this.#registry],
  });
  readonly promptTokens = new Counter({
    name: 'stp_serve_prompt_tokens_total',
    help: 'Tokens of prompts and of embedded texts, once a text',
    registers: [this.#registry],
  });
  readonly completionTokens = new Counter({
    name: 'stp_serve_completion_tokens_total',
    help: 'Tokens sampled, of finished choices',
    registers: [this.#registry],
  });
  readonly requestsInFlight = new Gauge({
    name: 'stp_serve_requests_in_flight',
    help: 'Requests that the engine works for',
    registers: [this.#registry],
  });
  readonly choicesQueued = new Gauge({
    name: 'stp_serve_choices_unfinished',
    help: 'Choices asked for and not finished, waiting ones included',
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
