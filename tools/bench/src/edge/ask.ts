import { request } from 'node:https';
import { connect as connectHttp2 } from 'node:http2';
import { waitUntil } from '@pets/testing/processes';
import { visitorAddress } from './visitors.js';

/** A host at an edge of this machine. */
export interface VisitedPlace {
  readonly host: string;
  readonly port: number;
  readonly rootPem: string;
}

/** The answer to a visitor. One that is cut has no status. */
export interface Visited {
  readonly status: number | 'cut';
  readonly body: string;
}

const ANSWER_LIMIT_MS = 10_000;
const FORWARDED_LIMIT_MS = 30_000;
const CUT: Visited = { status: 'cut', body: '' };

export function tlsOptionsOf({ host, port, rootPem }: VisitedPlace) {
  return { host: '127.0.0.1', port, servername: host, ca: rootPem, localAddress: visitorAddress() } as const;
}

/** One GET over a connection of its own. Never rejects: whatever ends the answer cuts it. */
export function askOnce(place: VisitedPlace, path: string, protocol: 'http1' | 'http2'): Promise<Visited> {
  return (protocol === 'http1' ? askHttp1(place, path) : askHttp2(place, path)).catch(() => CUT);
}

/** Waits until an edge forwards a host to the application that answers `/` with this body. */
export async function untilForwarded(place: VisitedPlace, body: string): Promise<void> {
  const isForwarded = async () => (await askOnce(place, '/', 'http1')).body === body;
  await waitUntil(isForwarded, { timeoutMs: FORWARDED_LIMIT_MS, message: `${place.host} to be forwarded` });
}

function askHttp1(place: VisitedPlace, path: string): Promise<Visited> {
  const { promise, resolve, reject } = Promise.withResolvers<Visited>();
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const asking = request({ ...tlsOptionsOf(place), path, headers: { host: place.host }, agent: false, signal });
  asking.on('error', reject);
  asking.on('response', (response) => {
    bodyOf(response).then((body) => resolve({ status: response.statusCode ?? 'cut', body }), reject);
  });
  asking.end();
  return promise;
}

async function askHttp2(place: VisitedPlace, path: string): Promise<Visited> {
  const { port, ...options } = tlsOptionsOf(place);
  const session = connectHttp2(`https://127.0.0.1:${port}`, options);
  const { promise, resolve, reject } = Promise.withResolvers<Visited>();
  session.on('error', reject);
  const stream = session.request({ ':path': path, ':authority': place.host });
  stream.setTimeout(ANSWER_LIMIT_MS, () => stream.destroy(new Error('no answer in time')));
  const onClose = () => reject(new Error('closed'));
  stream.on('error', reject).on('close', onClose);
  stream.on('response', (headers) => {
    stream.off('close', onClose); // it may come before the end of the body is read
    bodyOf(stream).then((body) => resolve({ status: headers[':status'] ?? 'cut', body }), reject);
  });
  return promise.finally(() => session.destroy());
}

async function bodyOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
