import { PLATFORM_CERTIFICATE, type EdgeFeedMessage, type EdgeRoute } from '@pets/contracts';

export type FeedBatch = Extract<EdgeFeedMessage, { kind: 'batch' }>;

/** Everything an edge knows at one version of the feed. */
export interface TableState {
  readonly epoch: string;
  readonly version: number;
  readonly thumbprint: string | null;
  /** The oldest protocol under which a part of it was sent: hosts of later kinds may be missing. */
  readonly protocol: number;
  readonly routes: ReadonlyMap<string, EdgeRoute>;
}

export type BatchOutcome =
  | { readonly kind: 'gap'; readonly reason: string }
  | {
      readonly kind: 'applied';
      /** Hosts that are not served any more: their connections must end. */
      readonly stoppedHosts: readonly string[];
      /** Certificates that no route named before. */
      readonly newCertificates: readonly string[];
      /** Certificates that no route names any more. */
      readonly droppedCertificates: readonly string[];
    };

/** Maps hosts to routes. Pure: a batch is applied completely in one step, or not at all. */
export class RouteTable {
  #epoch = '';
  #version = 0;
  #thumbprint: string | null = null;
  #protocol = 1;
  #routes = new Map<string, EdgeRoute>();
  #certificateUses = new Map<string, number>();

  get state(): TableState {
    return {
      epoch: this.#epoch,
      version: this.#version,
      thumbprint: this.#thumbprint,
      protocol: this.#protocol,
      routes: this.#routes,
    };
  }

  find(host: string): EdgeRoute | undefined {
    return this.#routes.get(host);
  }

  namesCertificate(id: string): boolean {
    return this.#certificateUses.has(id);
  }

  /** Certificates that routes name, without the platform certificate, which is configured. */
  certificateIds(): readonly string[] {
    return [...this.#certificateUses.keys()];
  }

  /** Restores the state of an earlier run of the edge. */
  restore(state: TableState): void {
    this.#epoch = state.epoch;
    this.#version = state.version;
    this.#thumbprint = state.thumbprint;
    this.#protocol = state.protocol;
    this.#routes = new Map(state.routes);
    this.#certificateUses = new Map();
    this.#recountCertificates(new Map([...this.#routes.keys()].map((host) => [host, undefined])));
  }

  apply(batch: FeedBatch): BatchOutcome {
    const gap = this.#findGap(batch);
    if (gap !== undefined) return { kind: 'gap', reason: gap };

    const earlier = this.#replaceRoutes(batch);
    const certificates = this.#recountCertificates(earlier);
    this.#epoch = batch.epoch;
    this.#version = batch.version;
    this.#thumbprint = batch.thumbprint;
    const { protocol = 1 } = batch;
    this.#protocol = batch.reset ? protocol : Math.min(this.#protocol, protocol);
    const stopped = [...earlier].filter(([host, was]) => hasStopped(was, this.#routes.get(host)));
    return { kind: 'applied', stoppedHosts: stopped.map(([host]) => host), ...certificates };
  }

  /** @returns the earlier route of each host in the batch; a reset contains every host */
  #replaceRoutes(batch: FeedBatch): ReadonlyMap<string, EdgeRoute | undefined> {
    const earlier = new Map<string, EdgeRoute | undefined>(batch.reset ? this.#routes : []);
    if (batch.reset) this.#routes = new Map();
    for (const { host, route } of batch.entries) {
      if (!earlier.has(host)) earlier.set(host, this.#routes.get(host));
      if (route === null) this.#routes.delete(host);
      else this.#routes.set(host, route);
    }
    return earlier;
  }

  /** Examines only the hosts of the batch, so that its cost depends on the batch and not on the table. */
  #recountCertificates(earlier: ReadonlyMap<string, EdgeRoute | undefined>) {
    const wasNamed = new Map<string, boolean>();
    const count = (route: EdgeRoute | undefined, by: 1 | -1) => {
      const id = certificateOf(route);
      if (id === undefined) return;
      const uses = this.#certificateUses.get(id) ?? 0;
      if (!wasNamed.has(id)) wasNamed.set(id, uses > 0);
      if (uses + by === 0) this.#certificateUses.delete(id);
      else this.#certificateUses.set(id, uses + by);
    };
    for (const [host, was] of earlier) {
      count(this.#routes.get(host), 1);
      count(was, -1);
    }
    const ids = [...wasNamed.keys()];
    return {
      newCertificates: ids.filter((id) => !wasNamed.get(id) && this.namesCertificate(id)),
      droppedCertificates: ids.filter((id) => wasNamed.get(id) && !this.namesCertificate(id)),
    };
  }

  #findGap(batch: FeedBatch): string | undefined {
    if (batch.reset) return undefined;
    if (batch.epoch !== this.#epoch) return `epoch ${batch.epoch} follows ${this.#epoch || 'nothing'} without a reset`;
    if (batch.after !== this.#version) return `a batch after ${batch.after} does not follow version ${this.#version}`;
    if (batch.version < batch.after) return `version ${batch.version} is older than ${batch.after}`;
    return undefined;
  }
}

function hasStopped(was: EdgeRoute | undefined, is: EdgeRoute | undefined): boolean {
  if (was === undefined) return false;
  if (is === undefined) return true;
  if (was.certificateId !== null && is.certificateId === null) return true;
  return isServing(was) && !isServing(is);
}

function isServing({ serve }: EdgeRoute): boolean {
  return serve !== null && serve.kind !== 'suspended';
}

/** The platform certificate is configured and never downloaded, so it is not counted. */
function certificateOf(route: EdgeRoute | undefined): string | undefined {
  const id = route?.certificateId ?? undefined;
  return id === PLATFORM_CERTIFICATE ? undefined : id;
}
