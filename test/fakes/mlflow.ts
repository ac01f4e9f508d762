/**
 * A server that answers as MLflow's REST API does for logging a run: experiments, runs, batches, artifacts. A test can
 * make it fail, and read what was logged.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface FakeRun {
  readonly id: string;
  readonly experiment: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly params: Record<string, string>;
  readonly metrics: { readonly key: string; readonly value: number | string; readonly step: number }[];
  readonly files: Record<string, string>;
  status: string;
  isDeleted: boolean;
}

export interface FakeMlflow {
  readonly url: string;
  readonly runs: FakeRun[];
  /** The requested paths, in order. */
  readonly paths: string[];
  /** While set, calls are answered with it. */
  down: number | null;
  authorization: string | undefined;
  close(): Promise<void>;
}

interface Body {
  readonly name: string;
  readonly run_id: string;
  readonly experiment_id: string;
  readonly experiment_ids: string[];
  readonly filter: string;
  readonly status?: string;
  readonly tags?: { key: string; value: string }[];
  readonly params?: { key: string; value: string }[];
  readonly metrics?: FakeRun['metrics'];
}

export async function startFakeMlflow(): Promise<FakeMlflow> {
  const experiments = new Map<string, string>();
  const runs: FakeRun[] = [];
  const runOf = (id: string): FakeRun | undefined => runs.find((run) => run.id === id);
  const infoOf = ({ id, experiment }: FakeRun) => ({
    run_id: id,
    experiment_id: experiment,
    artifact_uri: `mlflow-artifacts:/${experiment}/${id}/artifacts`,
  });
  const missing = { status: 404, body: { error_code: 'RESOURCE_DOES_NOT_EXIST' } };
  const answers: Readonly<Record<string, (body: Body, query: URLSearchParams) => { status?: number; body: object }>> = {
    'experiments/get-by-name'(_, query) {
      const id = experiments.get(query.get('experiment_name')!);
      return id === undefined ? missing : { body: { experiment: { experiment_id: id } } };
    },
    'experiments/create'({ name }) {
      if (experiments.has(name)) return { status: 400, body: { error_code: 'RESOURCE_ALREADY_EXISTS' } };
      experiments.set(name, String(experiments.size + 1));
      return { body: { experiment_id: experiments.get(name)! } };
    },
    'runs/search'({ filter }) {
      const wanted = /= '(.*)'$/.exec(filter)?.[1];
      const found = runs.filter(({ tags, isDeleted }) => tags['stp.run'] === wanted && !isDeleted);
      return { body: found.length === 0 ? {} : { runs: found.map((run) => ({ info: infoOf(run) })) } };
    },
    'runs/create'({ experiment_id, tags = [] }) {
      const run: FakeRun = {
        id: `run${runs.length + 1}`,
        experiment: experiment_id,
        tags: Object.fromEntries(tags.map(({ key, value }) => [key, value])),
        params: {},
        metrics: [],
        files: {},
        status: 'RUNNING',
        isDeleted: false,
      };
      runs.push(run);
      return { body: { run: { info: infoOf(run) } } };
    },
    'runs/get'(_, query) {
      const run = runOf(query.get('run_id')!);
      return run === undefined ? missing : { body: { run: { info: infoOf(run) } } };
    },
    'runs/delete'({ run_id }) {
      runOf(run_id)!.isDeleted = true;
      return { body: {} };
    },
    'runs/update'({ run_id, status }) {
      runOf(run_id)!.status = status!;
      return { body: {} };
    },
    'runs/log-batch'({ run_id, metrics = [], params = [] }) {
      const run = runOf(run_id)!;
      if (metrics.length > 1_000 || params.length > 100)
        return { status: 400, body: { error_code: 'INVALID_PARAMETER_VALUE' } };
      for (const { key, value } of params) run.params[key] = value;
      run.metrics.push(...metrics);
      return { body: {} };
    },
  };
  const answer = async (request: IncomingMessage): Promise<{ status?: number; body: object }> => {
    const text = (await request.toArray()).join('');
    if (fake.down !== null) return { status: fake.down, body: { error: 'down' } };
    const { pathname, searchParams } = new URL(request.url!, 'http://mlflow');
    fake.authorization = request.headers.authorization;
    const [, id, name] = /artifacts\/artifacts\/\w+\/(\w+)\/artifacts\/(.+)$/.exec(pathname) ?? [];
    if (id !== undefined) {
      runOf(id)!.files[decodeURIComponent(name!)] = text;
      return { body: {} };
    }
    const path = pathname.replace('/api/2.0/mlflow/', '');
    fake.paths.push(path);
    return answers[path]?.(text === '' ? ({} as Body) : (JSON.parse(text) as Body), searchParams) ?? missing;
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status = 200, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeMlflow = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    runs,
    paths: [],
    down: null,
    authorization: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
