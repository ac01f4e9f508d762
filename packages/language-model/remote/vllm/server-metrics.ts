/** Reads the metrics that a monitor needs from a vLLM server's `/metrics` (Prometheus text). */

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const TIMEOUT_MS = 5_000;
/** Our name for each of the server's metrics. Newer releases use the second name for the cache's use. */
const WANTED: Readonly<Record<string, keyof ServerMetrics>> = {
  'vllm:num_requests_running': 'requestsRunning',
  'vllm:num_requests_waiting': 'requestsWaiting',
  'vllm:prompt_tokens_total': 'promptTokens',
  'vllm:generation_tokens_total': 'generatedTokens',
  'vllm:gpu_cache_usage_perc': 'cacheShare',
  'vllm:kv_cache_usage_perc': 'cacheShare',
};
const LINE = /^([A-Za-z_:][\w:]*)(?:\{[^}]*\})? (\S+)/;

export interface ServerMetrics {
  readonly requestsRunning: number;
  readonly requestsWaiting: number;
  /** Since the server started. */
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** Share of the key-value cache in use, 0 to 1; the mean over its parts. */
  readonly cacheShare: number;
}

/** Parses metrics. Series of one name are added up, shares averaged. */
export function parseServerMetrics(text: string): Partial<ServerMetrics> {
  const series = new Map<keyof ServerMetrics, number[]>();
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    const ours = WANTED[name];
    const number = Number(value);
    if (ours !== undefined && Number.isFinite(number)) series.set(ours, [...(series.get(ours) ?? []), number]);
  }
  return Object.fromEntries(
    [...series].map(([name, values]) => {
      const sum = values.reduce((total, value) => total + value, 0);
      return [name, name === 'cacheShare' ? sum / values.length : sum];
    }),
  );
}

/** Returns null if the server does not answer: metrics are only for display. */
export async function readServerMetrics(origin: string, signal?: AbortSignal): Promise<Partial<ServerMetrics> | null> {
  try {
    const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])];
    const response = await fetch(new URL('/metrics', origin), { signal: AbortSignal.any(signals) });
    if (!response.ok || response.body === null) return null;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body) {
      bytes += part.length;
      if (bytes > ANSWER_BYTES_MAX) return null;
      parts.push(part);
    }
    return parseServerMetrics(Buffer.concat(parts).toString('utf8'));
  } catch {
    return null;
  }
}
