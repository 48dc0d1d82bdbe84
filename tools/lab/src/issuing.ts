import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startDevCa, startPebble, type DevCa, type Pebble } from '@pets/testing/dev-ca';
import { startDevDns, type DevDns } from '@pets/testing/dev-dns';
import { freePort } from '@pets/testing/processes';
import { PLATFORM_DOMAIN } from './environments.js';

/**
 * Stands between the worker and the CA and counts, name by name, what is asked of the CA and granted: the only witness
 * that is not ours. It shows the CA's own certificate, and stays when the CA is restarted.
 */
export interface CaObserver {
  readonly directoryUrl: string;
  /** Orders made for a name. */
  orders(name: string): number;
  /** Orders for a name that were finalized. */
  certificates(name: string): number;
  /** From now on, an order that is finalized is shown as `processing` for so long. */
  delayIssuance(ms: number): void;
  /** When the last certificate of a name could be fetched first; 0 without one. */
  issuedAtMs(name: string): number;
  close(): Promise<void>;
}

const ANSWER_LIMIT_MS = 10_000;

export async function startCaObserver({ directoryUrl, caCertificatePath, tls }: Pebble): Promise<CaObserver> {
  const [orders, certificates] = [new Map<string, number>(), new Map<string, number>()];
  const delays = new IssuanceDelays();
  const { port, pathname } = new URL(directoryUrl);
  const ca = { host: '127.0.0.1', port, ca: await readFile(caCertificatePath), agent: false };
  const server = createServer({ cert: tls.certificatePem, key: tls.privateKeyPem }, (incoming, outgoing) => {
    void forward(incoming, ca).then(
      ({ asked, answer, body }) => {
        const counted = granted(asked, answer, body);
        if (counted !== null) count({ orders, certificates }[counted.what], counted.name);
        if (counted?.what === 'certificates') delays.finalized(counted.name, body);
        const shown = delays.show(body);
        const headers = shown === body ? answer.headers : { ...answer.headers, 'content-length': shown.length };
        outgoing.writeHead(answer.statusCode ?? 502, headers).end(shown);
      },
      () => outgoing.destroy(), // as the CA itself looks when it is gone
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    directoryUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    orders: (name) => orders.get(name) ?? 0,
    certificates: (name) => certificates.get(name) ?? 0,
    delayIssuance: (ms) => (delays.ms = ms),
    issuedAtMs: (name) => delays.issuedAtMs(name),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Shows finalized orders as a CA does that needs more time (RFC 8555 §7.4). */
class IssuanceDelays {
  ms = 0;
  /** Ends of delays by the URL that finalizes the order. */
  readonly #endsAtMs = new Map<string, number>();
  readonly #byName = new Map<string, number>();

  finalized(name: string, body: Buffer): void {
    const endsAtMs = Date.now() + this.ms;
    this.#byName.set(name, endsAtMs);
    if (this.ms > 0) this.#endsAtMs.set(parse(body)?.finalize ?? '', endsAtMs);
  }

  issuedAtMs(name: string): number {
    return this.#byName.get(name) ?? 0;
  }

  show(body: Buffer): Buffer {
    if (this.#endsAtMs.size === 0) return body;
    const order = parse(body);
    if ((this.#endsAtMs.get(order?.finalize ?? '') ?? 0) <= Date.now()) return body;
    return Buffer.from(JSON.stringify({ ...order, status: 'processing', certificate: undefined }));
  }
}

/** Forwards a request with the Host as it came: the CA makes its URLs of it, so that they lead here. */
async function forward(incoming: IncomingMessage, ca: RequestOptions) {
  const asked = await read(incoming);
  const { method, url: path, headers } = incoming;
  const outgoing = request({ ...ca, method, path, headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  outgoing.end(asked);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { asked, answer, body: await read(answer) };
}

async function read(message: IncomingMessage | ServerResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as IncomingMessage) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface OrderText {
  readonly identifiers?: readonly { readonly value: string }[];
  readonly csr?: string;
  readonly finalize?: string;
}

/** Returns what an answer grants: a new order (RFC 8555 §7.4), or the certificate of one. */
function granted(
  asked: Buffer,
  { statusCode = 0 }: IncomingMessage,
  body: Buffer,
): { what: 'orders' | 'certificates'; name: string } | null {
  if (statusCode >= 300) return null;
  const wanted = parse(Buffer.from(parse(asked)?.payload ?? '', 'base64url'));
  const what = wanted?.csr !== undefined ? 'certificates' : wanted?.identifiers !== undefined ? 'orders' : null;
  const name = parse(body)?.identifiers?.[0]?.value;
  return what === null || name === undefined ? null : { what, name };
}

function parse(text: Buffer): (OrderText & { readonly payload?: string }) | null {
  try {
    return JSON.parse(text.toString()) as OrderText; // what RFC 8555 says, and only looked at
  } catch {
    return null;
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Servers that certificates are issued with: a CA, and DNS servers whose records can be set. */
export interface Issuing {
  readonly dns: DevDns;
  /** The CA's view, whose answers may differ from ours. */
  readonly dnsOfCa: DevDns;
  readonly pebble: Pebble;
  /** Stands between the worker and the CA, if that was asked for. */
  readonly observer: CaObserver | null;
  readonly directoryUrl: string;
  /** The port where challenges are answered: the first edge at 127.0.0.1; the CA asks any address of a name at this port. */
  readonly httpPort: number;
  /** Lets a domain's name point at us. */
  pointHere(domain: { readonly name: string; readonly token: string }): void;
  close(): Promise<void>;
}

export async function startIssuing(isObserved: boolean): Promise<Issuing> {
  const [dns, dnsOfCa] = [await startDevDns(), await startDevDns()];
  const httpPort = await freePort();
  const pebble = await startPebble({ httpPort, dnsServer: dnsOfCa.address });
  if (pebble === null) throw new Error('pebble is not installed: "node tools/setup.mjs bench" does that on Debian');
  const observer = isObserved ? await startCaObserver(pebble) : null;
  return {
    ...{ dns, dnsOfCa, pebble, observer, httpPort },
    directoryUrl: (observer ?? pebble).directoryUrl,
    pointHere: ({ name, token }) => {
      const target = `${token}.cname.${PLATFORM_DOMAIN}`;
      for (const server of [dns, dnsOfCa]) {
        server.put({ type: 'CNAME', name, data: `${target}.` });
        server.put({ type: 'A', name: target, data: '127.0.0.1' });
      }
    },
    close: async () => {
      await observer?.close();
      await Promise.all([pebble.stop(), dns.close(), dnsOfCa.close()]);
    },
  };
}

/** The CA and the DNS server of `npm start`, which the worker and the CA share. */
export interface DevelopmentServers {
  readonly dns: DevDns;
  readonly ca: DevCa;
  close(): Promise<void>;
}

/** @param httpPort where the CA looks for answers to its challenges */
export async function startDevelopmentServers(folder: string, httpPort: number): Promise<DevelopmentServers> {
  const dns = await startDevDns({ platformDomain: PLATFORM_DOMAIN });
  const ca = await startDevCa({ dataDir: join(folder, 'ca'), dnsServers: [dns.address], httpPort });
  const close = async () => void (await Promise.all([ca.close(), dns.close()]));
  return { dns, ca, close };
}
