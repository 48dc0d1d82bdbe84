import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request exactly as it is sent. */
export interface WireRequest {
  readonly method: string;
  /** Path with the query, escaped. */
  readonly target: string;
  /** Names and values; a name may come more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
}

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export type Send = (request: WireRequest) => Promise<WireAnswer>;

const LIMIT_MS = 20_000;
const mayHaveBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Sends over connections that are kept. `fetch` would neither send every method nor a header twice. */
export function openWire(url: string): { readonly send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, host } = new URL(url);
  const send: Send = ({ method, target, headers, body }) =>
    new Promise((done, fail) => {
      const lines = [['host', host] as const, ...headers];
      // Node would send a body without an end where a method may have one.
      const length = body?.length ?? (mayHaveBody.has(method) ? 0 : undefined);
      if (length !== undefined) lines.push(['content-length', String(length)]);
      const options = { agent, hostname, port, method, path: target, headers: lines.flat() };
      const outgoing = httpRequest({ ...options, signal: AbortSignal.timeout(LIMIT_MS) }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('error', fail)
          .on('end', () =>
            done({
              status: incoming.statusCode ?? 0,
              headers: new Map(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
              text: Buffer.concat(chunks).toString(),
            }),
          );
      });
      outgoing.on('error', fail);
      outgoing.end(body);
    });
  return { send: retryWhenBusy(send), close: () => agent.destroy() };
}

const PAUSE_MS = 20;
const MAX_TRIES = 250;

/**
 * Retries as a client should: a request whose idempotency key is in progress, an import until another one has ended, and
 * a request that a busy server or a used share refused. Other refusals are permanent.
 */
function retryWhenBusy(send: Send): Send {
  return async (request) => {
    for (let tries = 1; ; tries++) {
      const answer = await send(request);
      const isInProgress = answer.status === 409 && answer.text.includes('"idempotency_in_progress"');
      const isLimited = answer.status === 429 && answer.text.includes('imports at a time');
      const isBusy = answer.status === 503 && answer.text.includes('"unavailable"');
      const isShared = answer.status === 429 && answer.text.includes('"concurrency_limited"');
      if ((!isInProgress && !isLimited && !isBusy && !isShared) || tries === MAX_TRIES) return answer;
      await sleep(PAUSE_MS);
    }
  };
}

/** Formats an exchange for people, who can repeat it by hand. */
export function formatExchange({ method, target, headers, body }: WireRequest, answer: WireAnswer): string {
  const sent = headers.map(([name, value]) => `${name}: ${value}`);
  const received = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
  return [
    `> ${method} ${shorten(target)}`,
    ...sent.map((line) => `> ${shorten(line)}`),
    ...(body === undefined ? [] : ['>', `> ${shorten(formatBody(body))}`]),
    `< ${answer.status}`,
    ...received.map((line) => `< ${shorten(line)}`),
    `< ${shorten(answer.text)}`,
  ].join('\n');
}

function formatBody(body: Buffer): string {
  const text = body.toString();
  // Bytes that are not UTF-8 are shown in base64.
  return Buffer.from(text).equals(body) ? JSON.stringify(text) : `base64 ${body.toString('base64')}`;
}

function shorten(text: string): string {
  return text.length <= 2_000 ? text : `${text.slice(0, 2_000)}… (${text.length} characters)`;
}
