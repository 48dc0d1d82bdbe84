import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, any other value as JSON. */
  readonly body?: unknown;
}

/** The answers to the requests for a path, in order. The last one is repeated. */
export type Script = Readonly<Record<string, readonly Scripted[]>>;

export interface ScriptedCa {
  readonly url: string;
  readonly directoryUrl: string;
  /** Received requests with the payload of the signed body; null without one. */
  readonly requests: { readonly path: string; readonly payload: unknown }[];
  requestedPaths(): string[];
  stop(): void;
}

/**
 * A CA with scripted answers, for answers that a real one does not give. It accepts every signature, and answers other paths
 * with 404.
 * @param script `{ca}` stands for the URL of the CA
 */
export async function startScriptedCa(script: Script): Promise<ScriptedCa> {
  const requests: { path: string; payload: unknown }[] = [];
  const server = createServer((request, response) => {
    void readPayload(request).then((payload) => {
      const path = request.url ?? '';
      const nth = requests.filter((earlier) => earlier.path === path).length;
      requests.push({ path, payload });
      const answers = script[path] ?? [{ status: 404 }];
      const { status = 200, headers = {}, body = '' } = answers[Math.min(nth, answers.length - 1)] ?? {};
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const localized = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{ca}', url)] as const);
      response.writeHead(status, { 'replay-nonce': `n-${requests.length}`, ...Object.fromEntries(localized) });
      response.end(text.replaceAll('{ca}', url));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    directoryUrl: `${url}/dir`,
    requests,
    requestedPaths: () => requests.map(({ path }) => path),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export const directory = {
  newNonce: '{ca}/nonce',
  newAccount: '{ca}/new-account',
  newOrder: '{ca}/new-order',
};

export const problem = (type: string, status = 400, extra: object = {}): Scripted => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: `urn:ietf:params:acme:error:${type}`, detail: `${type} it is`, ...extra },
});

async function readPayload(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  if (chunks.length === 0) return null;
  const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { payload: string };
  return payload === '' ? null : JSON.parse(Buffer.from(payload, 'base64url').toString());
}
