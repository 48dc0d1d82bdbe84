import { once } from 'node:events';
import type { Server } from 'node:net';
import { drainConnections, type MetricValues, type Registry } from '@pets/platform';
import { isServed } from '../feed/route-lookup.js';
import type { PublishedChange, PublishedTable } from '../feed/serving-processes.js';
import type { EdgeConfig } from '../platform/config.js';
import { assembleServing, type ListenTarget, type ServingOptions, type ServingParts } from './serving-parts.js';
import { DRAIN_LIMIT_MS, type ProcessCounts, type ServingSide } from './serving-side.js';

/** How soon after the end of its lease an edge destroys connections; new requests are refused at once. */
const LAPSE_CHECK_MS = 500;

/**
 * Answers visitors from the table that the feed process publishes. Each serving process has one; in tests it runs in the
 * process of the feed.
 */
export class ServingEdge implements ServingSide {
  readonly #options: ServingOptions;
  readonly #parts: ServingParts;
  readonly #leaseTimer: NodeJS.Timeout;
  #hadLease = false;

  private constructor(parts: ServingParts, options: ServingOptions) {
    this.#options = options;
    this.#parts = parts;
    this.#leaseTimer = setInterval(() => this.#checkLease(), LAPSE_CHECK_MS);
  }

  static async open(config: EdgeConfig, options: ServingOptions): Promise<ServingEdge> {
    return new ServingEdge(await assembleServing(config, options), options);
  }

  get isListening(): boolean {
    const { plain, secure } = this.#parts;
    return plain.listening && secure.listening;
  }

  get counts(): ProcessCounts {
    return { listening: this.isListening ? 1 : 0, restarts: 0 };
  }

  tableReplaced({ file, thumbprint, platformCertificate }: PublishedTable): Promise<void> {
    const { routes, connections, certificates } = this.#parts;
    routes.replaceTable(file, thumbprint);
    connections.recheck(isServed);
    certificates.platform.use(platformCertificate);
    return Promise.resolve();
  }

  changed({ hosts, stoppedHosts, thumbprint, platformCertificate, ...change }: PublishedChange): Promise<void> {
    const { routes, connections, certificates } = this.#parts;
    routes.change(hosts, thumbprint);
    connections.rowsChanged(hosts, stoppedHosts);
    certificates.changed(change);
    certificates.platform.use(platformCertificate);
    return Promise.resolve();
  }

  leaseChanged(contactAtMs: number | undefined): void {
    this.#parts.routes.setContact(contactAtMs);
    this.#checkLease();
  }

  async listen(): Promise<void> {
    const { plain, secure, certificates, connections } = this.#parts;
    const { http, https } = this.#options.sockets;
    await Promise.all([listen(plain, http), listen(secure, https)]);
    certificates.start();
    connections.start();
  }

  async drain(keepAliveMs: number): Promise<void> {
    const { plain, secure, connections, certificates, forwarder, disks, routes, state } = this.#parts;
    state.isStopping = true;
    await drainConnections([plain, secure], keepAliveMs);
    await this.#drainRequests();
    clearInterval(this.#leaseTimer);
    connections.stop();
    forwarder.close();
    await certificates.stop();
    await disks.close();
    routes.close();
    this.#options.accessLog?.flush();
  }

  get registry(): Registry {
    return this.#parts.registry;
  }

  async metrics(): Promise<readonly MetricValues[]> {
    return [await this.#parts.registry.getMetricsAsJSON()];
  }

  #checkLease(): void {
    const { routes, connections } = this.#parts;
    const { hasLease } = routes;
    if (this.#hadLease && !hasLease) {
      this.#options.log.error('no contact with the API for too long; serving stopped');
      connections.destroyAll();
    }
    this.#hadLease = hasLease;
  }

  /** Stops accepting, ends idle connections (HTTP/2 by GOAWAY), waits for requests in progress, and destroys the rest. */
  async #drainRequests(): Promise<void> {
    const { plain, secure, connections } = this.#parts;
    const closed = Promise.all([close(plain), close(secure)]);
    connections.drain();
    const limit = setTimeout(() => {
      this.#options.log.warn({ limitMs: DRAIN_LIMIT_MS }, 'requests still in progress; connections destroyed');
      connections.destroyAll();
    }, DRAIN_LIMIT_MS);
    await closed;
    clearTimeout(limit);
  }
}

/** @throws Error when the port cannot be used */
async function listen(server: Server, target: ListenTarget): Promise<void> {
  server.listen(target);
  await once(server, 'listening');
}

function close(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => server.close(() => resolve()));
}
