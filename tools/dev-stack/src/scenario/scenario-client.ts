import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { DevFile } from '../supervisor/dev-file.js';

const REQUEST_LIMIT_MS = 15_000;

export type Answer<Body> = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
};

type Visit = {
  readonly status: number;
  readonly location: string | undefined;
  /** The first cookie that the answer sets, as a request sends it. */
  readonly cookie: string | undefined;
  readonly body: string;
  /** Common name of who issued the certificate; null over plain HTTP. */
  readonly issuer: string | null;
};

type VisitOptions = {
  readonly path?: string;
  readonly method?: 'GET' | 'HEAD';
  readonly isPlain?: boolean;
  readonly cookie?: string | undefined;
};

/** A publisher and a visitor in one: talks to the API with the key, and visits hosts through the edge as a browser would. */
export type ScenarioClient = {
  api<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>>;
  /** A request of the page of a set-up link, with its token; without one until it is opened. */
  setup<Body>(token: string | null, method: string, path: string, body?: unknown): Promise<Answer<Body>>;
  /** Visits `https://<host>` at the edge. Rejects when the handshake is refused or the chain does not lead to the root. */
  visit(host: string, options?: VisitOptions): Promise<Visit>;
};

/** Addresses of the stack, and the key to it. */
export type StackAddresses = Pick<DevFile, 'apiUrl' | 'apiKey' | 'edgeHttpUrl' | 'edgeHttpsUrl'>;

/** @param rootPem the root that certificates have to lead to */
export function createScenarioClient(dev: StackAddresses, rootPem: string): ScenarioClient {
  return {
    api: (method, path, body) => callApi(dev, method, path, body),
    setup: (apiKey, method, path, body) => callApi({ apiUrl: dev.apiUrl, apiKey }, method, path, body),
    visit: (host, { path = '/', method = 'GET', isPlain = false, cookie } = {}) => {
      const { port } = new URL(isPlain ? dev.edgeHttpUrl : dev.edgeHttpsUrl);
      const target = {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { host: `${host}:${port}`, ...(cookie !== undefined && { cookie }) },
        agent: false as const,
      };
      return new Promise<Visit>((resolve, reject) => {
        const onResponse = (response: IncomingMessage) => void readVisit(response).then(resolve, reject);
        const request = isPlain
          ? httpRequest(target, onResponse)
          : httpsRequest({ ...target, servername: host, ca: rootPem }, onResponse);
        request.setTimeout(REQUEST_LIMIT_MS, () => request.destroy(new Error(`${host} did not answer`)));
        request.on('error', reject).end();
      });
    },
  };
}

/** Calls the API with a body of JSON, or none, and with a key, or none. */
export async function callApi<Body>(
  { apiUrl, apiKey }: { readonly apiUrl: string; readonly apiKey: string | null },
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const response = await fetch(apiUrl + path, {
    method,
    headers: {
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text === '' ? {} : JSON.parse(text)) as Body,
  };
}

async function readVisit(response: IncomingMessage): Promise<Visit> {
  const issuer =
    'getPeerCertificate' in response.socket ? (response.socket as TLSSocket).getPeerCertificate().issuer.CN : null;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    location: response.headers.location,
    cookie: response.headers['set-cookie']?.[0]?.split(';')[0],
    body: Buffer.concat(chunks).toString(),
    issuer: Array.isArray(issuer) ? issuer.join(', ') : (issuer ?? null),
  };
}
