import { Agent, request as askHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as askHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const REQUEST_LIMIT_MS = 15_000;

interface Ask {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Client {
  /** The next request, by the number of requests so far. */
  readonly next: (asked: number) => Ask;
  readonly port: number;
  /** Over TLS, for this name, which a certificate below this root has to show. */
  readonly tls?: { readonly servername: string; readonly ca: string };
  readonly keepsAlive: boolean;
  readonly pauseMs: number;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly saysGoodbye: boolean;
}

export interface Load {
  /** Requests that were answered with neither 2xx nor 3xx, or not at all. */
  readonly failures: readonly string[];
  /** Connections that an answer announced to close. */
  readonly goodbyes: number;
  readonly answered: number;
  /** @returns once every request has its answer */
  stop(): Promise<void>;
}

/**
 * Clients that ask without end, one request after the other. Nothing is tried again: neither a new connection nor a
 * request. They honour `Connection: close`, so each request is begun on a connection that was not announced to close.
 */
export function startLoad(clients: readonly Client[]): Load {
  const load = { failures: [] as string[], goodbyes: 0, answered: 0 };
  let isOver = false;
  const run = async (client: Client) => {
    const options = { keepAlive: client.keepsAlive, maxSockets: 1 };
    const agent = client.tls === undefined ? new Agent(options) : new TlsAgent({ ...options, maxCachedSessions: 0 });
    for (let asked = 0; !isOver; asked++) {
      const ask = client.next(asked);
      try {
        const { status, body, saysGoodbye } = await send(client, agent, ask);
        load.answered++;
        if (saysGoodbye && client.keepsAlive) load.goodbyes++;
        if (status < 200 || status >= 400) load.failures.push(`${ask.method} ${ask.path}: ${status} ${body}`);
      } catch (error) {
        load.failures.push(`${ask.method} ${ask.path}: ${error instanceof Error ? error.message : String(error)}`);
      }
      await sleep(client.pauseMs);
    }
    agent.destroy();
  };
  const running = Promise.all(clients.map(run));
  return Object.assign(load, {
    stop: async () => {
      isOver = true;
      await running;
    },
  });
}

function send({ port, tls }: Client, agent: Agent, { method, path, headers, body }: Ask) {
  // For the complete exchange, since the timeout of a request starts only after it is connected.
  const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
  const options: RequestOptions = { host: '127.0.0.1', port, agent, method, path, headers, signal };
  return new Promise<Answer>((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) => {
      const { statusCode: status = 0 } = answer;
      const saysGoodbye = answer.headers.connection === 'close';
      text(answer).then((read) => resolve({ status, body: read, saysGoodbye }), reject);
    };
    const request = tls === undefined ? askHttp(options, onAnswer) : askHttps({ ...options, ...tls }, onAnswer);
    request.once('error', reject).end(body);
  });
}
