import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text goes out as it is, all else as JSON. */
  readonly body?: unknown;
}

/** What the nth request for a path (from 0) is answered with; the last one for all that follow. */
export type Script = Readonly<Record<string, readonly Scripted[]>>;

export interface ScriptedCa {
  readonly url: string;
  readonly directoryUrl: string;
  /** What came, in order; the payload of a signed request, null where there is none. */
  readonly requests: { readonly path: string; readonly payload: unknown }[];
  pathsAsked(): string[];
  stop(): void;
}

/**
 * A CA that says what a test wants, for what a real one cannot be brought to say. It believes every signature; a path
 * that is not in the script is answered with 404.
 * @param script with `{ca}` in the place of its own address
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
    pathsAsked: () => requests.map(({ path }) => path),
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
