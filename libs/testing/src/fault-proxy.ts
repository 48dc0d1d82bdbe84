import { once } from 'node:events';
import {
  createServer as createHttpServer,
  request as askHttp,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, request as askHttps } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What may become of a request. */
export type Fault =
  /** The server never hears of it; this is the answer. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string;
    }
  /** The server does what it is asked, and its answer breaks off half-way. */
  | { readonly kind: 'truncated' }
  /** The server never hears of it, and the client never hears anything; `heard` is called when the request came. */
  | { readonly kind: 'silence'; readonly heard?: () => void }
  /** The server hears of it once something else has happened. */
  | { readonly kind: 'held'; readonly until: () => Promise<unknown> };

export type FaultProxy = {
  /** `http(s)://127.0.0.1:port`, to be used in the place of the server's. */
  readonly origin: string;
  /** Every request that came, as `METHOD /path`, in order. */
  readonly requests: string[];
  /** What becomes of the nth request from now on whose `METHOD /path` matches; all others go through. */
  fail(request: RegExp, fault: Fault, nth?: number): void;
  close(): Promise<void>;
};

export type FaultProxyOptions = {
  /** `http://…` or `https://…` of the server; its certificate is not looked at. */
  readonly target: string;
  /** To be spoken to over TLS. */
  readonly tls?: { readonly certificatePem: string; readonly privateKeyPem: string };
};

type Planned = { readonly request: RegExp; readonly fault: Fault; left: number };

/**
 * Stands in front of a server on this machine and spoils chosen requests. The `Host` header goes through as it is, so a
 * server that makes its addresses from it leads back here.
 */
export async function startFaultProxy({ target, tls }: FaultProxyOptions): Promise<FaultProxy> {
  const requests: string[] = [];
  let planned: Planned | undefined;
  const takeFault = (line: string): Fault | undefined => {
    if (!planned?.request.test(line) || --planned.left > 0) return undefined;
    const { fault } = planned;
    planned = undefined;
    return fault;
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    requests.push(line);
    // The client may be gone before the answer is.
    spoil(target, request, response, takeFault(line)).catch(() => response.destroy());
  };
  const server = tls
    ? createHttpsServer({ cert: tls.certificatePem, key: tls.privateKeyPem }, handle)
    : createHttpServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP: never a pipe's path
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    fail: (request, fault, nth = 1) => (planned = { request, fault, left: nth }),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function spoil(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  switch (fault?.kind) {
    case 'silence':
      return fault.heard?.();
    case 'answered':
      request.resume();
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    case 'held':
      await fault.until();
      return pass(target, request, response, false);
    case 'truncated':
      return pass(target, request, response, true);
    case undefined:
      return pass(target, request, response, false);
  }
}

async function pass(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  isTruncated: boolean,
): Promise<void> {
  const { method, headers, url = '/' } = request;
  const options = { method, headers, agent: false, rejectUnauthorized: false };
  const asking = target.startsWith('https:') ? askHttps(target + url, options) : askHttp(target + url, options);
  request.pipe(asking);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const kept = Object.entries(answer.headers).filter(([name]) => name !== 'transfer-encoding');
  // The length is announced in full, whatever comes of it.
  const length = method === 'HEAD' ? {} : { 'content-length': body.length };
  response.writeHead(answer.statusCode ?? 502, { ...Object.fromEntries(kept), ...length });
  if (!isTruncated) return void response.end(body);
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
