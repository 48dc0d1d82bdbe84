import type { EdgeRoute } from '@pets/contracts';
import type { PublishedChange, PublishedTable, ServingProcesses } from '../routing/serving-processes.js';
import { mayServe } from '../routing/staleness.js';
import { RouteCache } from '../store/route-cache.js';
import { RouteReader } from '../store/route-reader.js';
import { StoreDamagedError } from '../store/store-damaged-error.js';
import type { Certificates } from '../tls/certificates.js';

/** How soon after the end of the lease open connections are destroyed; new requests are refused at once. */
const LAPSE_CHECK_MS = 500;

export interface LocalParts {
  readonly leaseMs: number;
  readonly now: () => number;
  readonly connections: {
    readonly hosts: readonly string[];
    destroyHosts(hosts: readonly string[]): void;
    destroyAll(): void;
  };
  readonly certificates: Pick<Certificates, 'changed'>;
  readonly onDamaged: (reason: string) => void;
}

/** Serves in the process of the feed. */
export class LocalProcess implements ServingProcesses {
  readonly #parts: LocalParts;
  #cache: RouteCache | undefined;
  #contactAtMs: number | undefined;
  #wasServing = false;
  #timer: NodeJS.Timeout | undefined;
  thumbprint: string | null = null;

  constructor(parts: LocalParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.#watchLease(), LAPSE_CHECK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#cache?.close();
    this.#cache = undefined;
  }

  /** The route of a host; none without a lease. */
  find(host: string): EdgeRoute | undefined {
    if (!this.#hasLease()) return undefined;
    try {
      return this.#cache?.find(host)?.route;
    } catch (error) {
      if (!(error instanceof StoreDamagedError)) throw error;
      this.#parts.onDamaged(error.message);
      return undefined;
    }
  }

  async tableReplaced({ file, thumbprint }: PublishedTable): Promise<void> {
    const { connections } = this.#parts;
    const reader = new RouteReader(file);
    if (this.#cache === undefined) this.#cache = new RouteCache(reader);
    else this.#cache.replaceReader(reader);
    this.thumbprint = thumbprint;
    connections.destroyHosts(connections.hosts.filter((host) => !isServed(this.find(host))));
  }

  async changed(change: PublishedChange): Promise<void> {
    const { hosts, stoppedHosts, thumbprint } = change;
    this.thumbprint = thumbprint;
    this.#cache?.dropRows(hosts);
    this.#parts.connections.destroyHosts(stoppedHosts);
    this.#parts.certificates.changed(change);
  }

  leaseChanged(contactAtMs: number | undefined): void {
    this.#contactAtMs = contactAtMs;
    this.#watchLease();
  }

  ticketKeysChanged(): void {
    // Sessions are not resumed.
  }

  #hasLease(): boolean {
    return mayServe(this.#contactAtMs, this.#parts.now(), this.#parts.leaseMs);
  }

  #watchLease(): void {
    const hasLease = this.#hasLease();
    if (this.#wasServing && !hasLease) this.#parts.connections.destroyAll();
    this.#wasServing = hasLease;
  }
}

function isServed(route: EdgeRoute | undefined): boolean {
  const serve = route?.serve ?? null;
  return serve !== null && serve.kind !== 'suspended';
}
