import { lookup } from 'node:dns/promises';
import { BoundSocket } from 'node:net';
import { retry } from '@pets/async';
import { errorCode } from '../platform/error-code.js';

/**
 * The two sockets on which the serving processes accept connections, bound by the feed process. It holds them for as long as
 * it runs and never accepts, so connections that wait in their queues survive the end of any serving process, and of all of
 * them. They refuse connections until a serving process listens on them.
 *
 * Sockets of an earlier edge process that was killed stay bound until its serving processes have noticed and exited. Because
 * `bind` waits for that, no process of the earlier run answers visitors any more when this one registers with the API.
 */
export class Sockets {
  readonly http: BoundSocket;
  readonly https: BoundSocket;
  readonly ports: Ports;

  private constructor(http: BoundSocket, https: BoundSocket) {
    this.http = http;
    this.https = https;
    this.ports = { http: http.address().port, https: https.address().port };
  }

  /** @throws Error when a port is in use for longer than `BIND_LIMIT_MS`, or the host has no address */
  static async bind(hostName: string, ports: Ports): Promise<Sockets> {
    const { address: host } = await lookup(hostName);
    const http = await bindWithRetry(host, ports.http);
    try {
      return new Sockets(http, await bindWithRetry(host, ports.https));
    } catch (error) {
      http.close();
      throw error;
    }
  }

  /** Gives up the sockets. Processes that listen on them continue to do so. */
  close(): void {
    for (const socket of [this.http, this.https]) socket[Symbol.dispose]();
  }
}

export interface Ports {
  readonly http: number;
  readonly https: number;
}

const BIND_LIMIT_MS = 5_000;
const BIND_PAUSE_MS = 50;

function bindWithRetry(host: string, port: number): Promise<BoundSocket> {
  const endMs = performance.now() + BIND_LIMIT_MS;
  const nextDelayMs = (_failures: number, error: unknown) =>
    errorCode(error) !== 'EADDRINUSE' || performance.now() > endMs ? null : BIND_PAUSE_MS;
  return retry(async () => new BoundSocket({ host, port }), { nextDelayMs });
}
