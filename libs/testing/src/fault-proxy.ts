import { once } from 'node:events';
import {
  createServer as createHttpServer,
  request as askHttp,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, request as askHttps } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A fault of a request. */
export type Fault =
  /** The server does not receive it; this is the answer. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string;
    }
  /** The server handles it, and its answer is cut in the middle. */
  | { readonly kind: 'truncated' }
  /** The server does not receive it, and the client gets no answer; `received` is called when the request arrives. */
  | { readonly kind: 'silence'; readonly received?: () => void }
  /** The server receives it once the promise is fulfilled. */
  | { readonly kind: 'held'; readonly until: () => Promise<unknown> };

export type FaultProxy = {
  /** `http(s)://127.0.0.1:port`, to use instead of the server's. */
  readonly origin: string;
  /** Every received request, as `METHOD /path`, in order. */
  readonly requests: string[];
  /** Applies a fault to the nth request from now on whose `METHOD /path` matches; all others go through. */
  fail(request: RegExp, fault: Fault, nth?: number): void;
  close(): Promise<void>;
};

export type FaultProxyOptions = {
  /** `http://…` or `https://…` of the server; its certificate is not verified. */
  readonly target: string;
  /** The certificate of the proxy, for TLS. */
  readonly tls?: { readonly certificatePem: string; readonly privateKeyPem: string };
};

type Planned = { readonly request: RegExp; readonly fault: Fault; left: number };

/**
 * A proxy to a server on this machine that makes chosen requests fail. It passes the `Host` header on, so a server that
 * builds its addresses from it refers to the proxy.
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
    // The client may disconnect before the answer ends.
    applyFault(target, request, response, takeFault(line)).catch(() => response.destroy());
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

async function applyFault(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  switch (fault?.kind) {
    case 'silence':
      return fault.received?.();
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
  // The full length is announced, also for a truncated answer.
  const length = method === 'HEAD' ? {} : { 'content-length': body.length };
  response.writeHead(answer.statusCode ?? 502, { ...Object.fromEntries(kept), ...length });
  if (!isTruncated) return void response.end(body);
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
