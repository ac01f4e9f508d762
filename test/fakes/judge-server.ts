/**
 * A judge for tests, with the wire formats of OpenAI's chat completions and Anthropic's messages. It marks by a rule on
 * the proof's text and is no language model. On request it has the faults of services.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** `busy`: 429. `broken`: 500. `cut`, `prose`, `off-scale`, `invented`, `twice`: answers that cannot be used. `ok-error`: an error with status 200. `silent`: never answers. `stalled`: never ends its answer. */
export type Fault =
  | 'busy'
  | 'broken'
  | 'cut'
  | 'prose'
  | 'off-scale'
  | 'invented'
  | 'twice'
  | 'ok-error'
  | 'no-json'
  | 'silent'
  | 'stalled'
  | 'denied';

export interface JudgeServerOptions {
  /** Returns the share of full marks for a proof, from 0 to 1. */
  readonly rule: (proof: string) => number;
  /** Highest mark of the scale. */
  readonly max?: number;
  /** Returns the fault of the request with this number, from 0. */
  readonly fault?: (request: number, messages: string) => Fault | undefined;
  readonly latencyMs?: number;
  /** Whether claimed errors are confirmed. */
  readonly stands?: boolean;
}

export interface JudgeServer {
  readonly url: string;
  /** Time and content of each request. */
  readonly requests: {
    readonly atMs: number;
    readonly body: Record<string, unknown>;
    readonly text: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  close(): Promise<void>;
}

/** Returns the part of a question between its markers. */
export function partOf(text: string, name: string): string {
  const match = new RegExp(`^===== ${name} (\\w+) =====\\n([\\s\\S]*?)\\n===== end of ${name} \\1 =====$`, 'mu').exec(
    text,
  );
  return match?.[2] ?? '';
}

export async function startJudgeServer(options: JudgeServerOptions): Promise<JudgeServer> {
  const requests: JudgeServer['requests'] = [];
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    const messages = body.messages as { role: string; content: string }[];
    const text = messages.at(-1)!.content;
    const number = requests.push({ atMs, body, text, headers: incoming.headers }) - 1;
    const fault = options.fault?.(number, text);
    if (options.latencyMs !== undefined) await sleep(options.latencyMs);
    const send = (status: number, json: unknown, headers: Record<string, string> = {}): void => {
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
      outgoing.end(typeof json === 'string' ? json : JSON.stringify(json));
    };
    if (fault === 'silent') return;
    if (fault === 'stalled') return void outgoing.writeHead(200, { 'content-type': 'application/json' }).write('{');
    if (fault === 'busy')
      return send(429, { error: { message: 'rate limit', type: 'rate_limit_error' } }, { 'retry-after': '0' });
    if (fault === 'broken') return send(500, { error: { message: 'overloaded', type: 'api_error' } });
    if (fault === 'denied') return send(401, { error: { message: 'invalid key', type: 'authentication_error' } });
    if (fault === 'ok-error') return send(200, { error: { message: 'upstream provider failed', code: 502 } });
    if (fault === 'no-json') return send(200, '<html>a proxy</html>');
    const said = sayings(text, fault, options);
    const tokens = { prompt: Math.ceil(text.length / 4), answer: Math.ceil(said.length / 4) };
    if (incoming.url === '/v1/messages') {
      const usage = { input_tokens: tokens.prompt, output_tokens: tokens.answer };
      const content = [{ type: 'text', text: said }];
      return send(200, {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: body.model,
        content,
        stop_reason: fault === 'cut' ? 'max_tokens' : 'end_turn',
        stop_sequence: null,
        usage,
      });
    }
    const usage = {
      prompt_tokens: tokens.prompt,
      completion_tokens: tokens.answer,
      total_tokens: tokens.prompt + tokens.answer,
    };
    const choice = {
      index: 0,
      message: { role: 'assistant', content: said },
      finish_reason: fault === 'cut' ? 'length' : 'stop',
    };
    send(200, { id: 'c', object: 'chat.completion', created: 0, model: body.model, choices: [choice], usage });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sayings(text: string, fault: Fault | undefined, { rule, max = 7, stands = true }: JudgeServerOptions): string {
  if (fault === 'prose') return 'I give it five points.';
  const said = JSON.stringify(objectFor(text, fault, rule, max, stands));
  return fault === 'cut' ? said.slice(0, said.length / 2) : said;
}

function objectFor(
  text: string,
  fault: Fault | undefined,
  rule: JudgeServerOptions['rule'],
  max: number,
  stands: boolean,
): object {
  if (text.includes('Rank the proofs')) {
    const labels = [...text.matchAll(/^===== proof ([A-Z]) /gmu)].map(([, label]) => label!);
    const proofs = labels.map((label) => partOf(text, `proof ${label}`));
    const placements = labels.map((label, at) => ({
      label: fault === 'twice' ? labels[0] : label,
      rank: 1 + proofs.filter((other) => rule(other) > rule(proofs[at]!)).length,
      reason: 'by the rule',
      quote: proofs[at]!.slice(0, 40),
    }));
    return { placements };
  }
  const proof = partOf(text, 'proof');
  if (text.includes('Another examiner claims')) return { checks: [{ error: 1, why: 'by the rule', stands }] };
  const share = rule(proof);
  const criteria = criteriaIn(text).map(({ name, points }) => ({ name, points: Math.round(share * points) }));
  const quote = fault === 'invented' ? 'words that are in no proof at all' : proof.slice(0, 40);
  const sum = criteria.reduce((total, { points }) => total + points, 0);
  const mark = fault === 'off-scale' ? max + 1 : criteria.length > 0 ? sum : Math.round(share * max);
  return {
    ...(criteria.length > 0 ? { criteria } : {}),
    analysis: 'by the rule',
    evidence: [{ kind: share === 1 ? 'step' : 'error', quote, says: 'by the rule' }],
    mark,
  };
}

/** Returns the criteria of the rubric if the question asks for their points. */
function criteriaIn(text: string): { name: string; points: number }[] {
  if (!text.includes('Give points for each criterion')) return [];
  return [...partOf(text, 'rubric').matchAll(/^- (.+): (\d+)$/gmu)].map(([, name, points]) => ({
    name: name!,
    points: Number(points),
  }));
}
