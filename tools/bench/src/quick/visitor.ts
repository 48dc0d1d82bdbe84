import { Agent, request } from 'node:https';
import { connect, type ClientHttp2Session } from 'node:http2';
import { once } from 'node:events';

/** One connection to a server, on which one request follows the other. */
export interface Visitor {
  /** Sends requests for `/` and reads each answer to its end. @throws Error for another status than 200 */
  get(requests: number): Promise<void>;
  close(): void;
}

export interface Destination {
  readonly port: number;
  readonly host: string;
  readonly rootPem: string;
}

const LIMIT_MS = 10_000;

export function openVisitor(protocol: 'http1' | 'http2', destination: Destination): Visitor {
  return protocol === 'http1' ? openHttp1(destination) : openHttp2(destination);
}

function openHttp1({ port, host, rootPem }: Destination): Visitor {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: rootPem });
  const getOne = () =>
    new Promise<void>((resolve, reject) => {
      const options = {
        agent,
        port,
        host: '127.0.0.1',
        servername: host,
        headers: { host },
        timeout: LIMIT_MS,
      } as const;
      const sent = request(options, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${host} answered ${response.statusCode ?? 0}`));
        response.resume().once('end', resolve).once('error', reject);
      });
      sent.once('timeout', () => sent.destroy(new Error(`${host} did not answer`)));
      sent.once('error', reject).end();
    });
  return { get: repeat(getOne), close: () => agent.destroy() };
}

function openHttp2({ port, host, rootPem }: Destination): Visitor {
  const session = connect(`https://127.0.0.1:${port}`, { ca: rootPem, servername: host });
  return { get: repeat(() => getStream(session, host)), close: () => session.destroy() };
}

async function getStream(session: ClientHttp2Session, host: string): Promise<void> {
  const stream = session.request({ ':path': '/', ':authority': host });
  const signal = AbortSignal.timeout(LIMIT_MS);
  const [headers] = (await once(stream, 'response', { signal })) as [{ readonly ':status'?: number }]; // as Node documents it
  if (headers[':status'] !== 200) throw new Error(`${host} answered ${headers[':status'] ?? 0}`);
  const ended = once(stream, 'end', { signal });
  stream.resume();
  await ended;
}

function repeat(getOne: () => Promise<void>): (requests: number) => Promise<void> {
  return async (requests) => {
    for (let done = 0; done < requests; done++) await getOne();
  };
}
