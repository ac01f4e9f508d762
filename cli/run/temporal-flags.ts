/** Flags of `temporal workflow start` (CLI 1.9.1) that pass through `stp start` unread. */

const WITH_VALUE = [
  'execution-timeout',
  'fairness-key',
  'fairness-weight',
  'headers',
  'id-conflict-policy',
  'id-reuse-policy',
  'memo',
  'priority-key',
  'run-timeout',
  'search-attribute',
  'start-delay',
  'static-details',
  'static-summary',
  'task-queue',
  'task-timeout',
  'workflow-id',
  'client-connect-timeout',
  'color',
  'command-timeout',
  'config-file',
  'env',
  'env-file',
  'log-format',
  'log-level',
  'output',
  'profile',
  'time-format',
  'address',
  'api-key',
  'client-authority',
  'codec-auth',
  'codec-endpoint',
  'codec-header',
  'grpc-meta',
  'identity',
  'namespace',
  'tls-ca-data',
  'tls-ca-path',
  'tls-cert-data',
  'tls-cert-path',
  'tls-key-data',
  'tls-key-path',
  'tls-server-name',
];
const WITHOUT_VALUE = [
  'fail-existing',
  'disable-config-env',
  'disable-config-file',
  'no-json-shorthand-payloads',
  'tls',
  'tls-disable-host-verification',
];
const SHORT: Readonly<Record<string, string>> = {
  '-w': 'workflow-id',
  '-t': 'task-queue',
  '-n': 'namespace',
  '-o': 'output',
};

export const TEMPORAL_FLAGS: readonly string[] = [...WITH_VALUE, ...WITHOUT_VALUE].map((name) => `--${name}`);

export interface SplitArguments {
  /** Flags in the given order, each followed by its value. */
  readonly temporal: readonly string[];
  /** Long names of the given flags, without dashes. */
  readonly given: ReadonlySet<string>;
  /** Values of the flags that have one, by long name. */
  readonly values: ReadonlyMap<string, string>;
  /** Words that are no flags of Temporal. */
  readonly unknown: readonly string[];
}

export function splitTemporalFlags(words: readonly string[]): SplitArguments {
  const temporal: string[] = [];
  const given = new Set<string>();
  const values = new Map<string, string>();
  const unknown: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const [flag] = word.split('=', 1) as [string];
    const name = SHORT[flag] ?? flag.replace(/^--/, '');
    const isFlag = flag in SHORT || flag.startsWith('--');
    if (isFlag && WITHOUT_VALUE.includes(name)) temporal.push(word);
    else if (isFlag && WITH_VALUE.includes(name)) {
      temporal.push(word);
      if (word.includes('=')) values.set(name, word.slice(flag.length + 1));
      else if (i + 1 < words.length) {
        const value = words[++i]!;
        temporal.push(value);
        values.set(name, value);
      }
    } else {
      unknown.push(word);
      continue;
    }
    given.add(name);
  }
  return { temporal, given, values, unknown };
}
