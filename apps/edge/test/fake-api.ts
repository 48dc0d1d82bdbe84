import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  edgeAckSchema,
  type ApiError,
  type EdgeAck,
  type EdgeFeedMessage,
  type EdgeRoute,
  type SealedCertificate,
} from '@pets/contracts';
import { freePort, waitUntil } from '@pets/testing';

/** The other side of the feed: speaks the contract over real HTTP, and fails when asked to. Refuses unexpected calls. */
export class FakeApi {
  static readonly token = 'edge-token-for-tests';
  readonly acks: EdgeAck[] = [];
  readonly deregistered: string[] = [];
  readonly certificates = new Map<string, SealedCertificate>();
  readonly certificateRequests: string[] = [];
  /** While set, downloads of certificates wait for it. */
  certificateGate: Promise<void> | undefined;
  acceptsAcks = true;
  heartbeatMs = 200;
  epoch = 'epoch-1';
  version = 0;
  thumbprint: string | null = 'THUMBPRINT';
  /** Undefined: an API of the release that knew no protocols. */
  protocol: number | undefined;
  /** The query of each request for the feed. */
  readonly feedRequests: URLSearchParams[] = [];
  /** While set, requests for the feed are refused with it. */
  feedRefusal: ApiError | undefined;
  #hosts = new Map<string, { version: number; route: EdgeRoute | null }>();
  #feeds = new Map<ServerResponse, number>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get connectedEdges(): number {
    return this.#feeds.size;
  }

  async up(): Promise<void> {
    this.#port ||= await freePort(); // the same at each return
    const server = createServer((request, response) => void this.#handle(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#feeds.clear();
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  /** Publishes one version. Returns it. */
  publish(routes: Readonly<Record<string, EdgeRoute | null>>): number {
    this.version += 1;
    for (const [host, route] of Object.entries(routes)) this.#hosts.set(host, { version: this.version, route });
    for (const [feed, after] of this.#feeds) this.#sendBatch(feed, after);
    return this.version;
  }

  /** Publishes and waits until the edge has acknowledged it. */
  async publishAndSettle(routes: Readonly<Record<string, EdgeRoute | null>>): Promise<void> {
    await this.acknowledged(this.publish(routes));
  }

  async acknowledged(version: number): Promise<void> {
    const isAcknowledged = () => this.acks.some((ack) => ack.epoch === this.epoch && ack.version >= version);
    await waitUntil(isAcknowledged, { message: `version ${version} is acknowledged` });
  }

  /** A new database: versions start again. */
  startEpoch(epoch: string, routes: Readonly<Record<string, EdgeRoute>>): void {
    this.epoch = epoch;
    this.version = 1;
    this.#hosts = new Map(Object.entries(routes).map(([host, route]) => [host, { version: 1, route }]));
  }

  /** Writes a text to every open feed. */
  sendRaw(text: string): void {
    for (const feed of this.#feeds.keys()) feed.write(text);
  }

  dropFeeds(): void {
    for (const feed of this.#feeds.keys()) feed.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    if (request.headers.authorization !== `Bearer ${FakeApi.token}`) return void response.writeHead(401).end();
    if (url.pathname === '/internal/edge/feed') return this.#openFeed(url, response);
    if (url.pathname === '/internal/edge/acks' && request.method === 'POST') return this.#takeAck(request, response);
    const [, kind, id = ''] = /^\/internal\/edge\/(edges|certificates)\/(.+)$/.exec(url.pathname) ?? [];
    if (kind === 'edges' && request.method === 'DELETE') {
      this.deregistered.push(id);
      return void response.writeHead(204).end();
    }
    if (kind === 'certificates') return this.#sendCertificate(id, response);
    throw new Error(`unexpected call: ${request.method ?? ''} ${url.pathname}`);
  }

  #openFeed(url: URL, response: ServerResponse): void {
    const after = Number(url.searchParams.get('after'));
    this.feedRequests.push(url.searchParams);
    const refusal = this.feedRefusal;
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
      return;
    }
    const isOld = this.protocol !== undefined && Number(url.searchParams.get('held') ?? 1) < this.protocol;
    const isReset = url.searchParams.get('epoch') !== this.epoch || after > this.version || isOld;
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    this.#feeds.set(response, 0);
    this.#sendBatch(response, isReset ? 0 : after, isReset);
    const heartbeat = setInterval(
      () => this.#send(response, { kind: 'heartbeat', version: this.version }),
      this.heartbeatMs,
    );
    response.on('close', () => {
      clearInterval(heartbeat);
      this.#feeds.delete(response);
    });
  }

  #sendBatch(feed: ServerResponse, after: number, reset = false): void {
    const changed = [...this.#hosts].filter(([, { version, route }]) => version > after && !(reset && route === null));
    const isKnown = (route: EdgeRoute | null) => this.protocol !== undefined || route?.serve?.kind !== 'suspended';
    const entries = changed.map(([host, { version, route }]) => ({
      host,
      version,
      route: isKnown(route) ? route : null,
    }));
    const { epoch, version, thumbprint, protocol } = this;
    this.#send(feed, {
      kind: 'batch',
      epoch,
      ...(protocol !== undefined && { protocol }),
      after,
      version,
      reset,
      entries,
      thumbprint,
    });
    this.#feeds.set(feed, version);
  }

  #send(feed: ServerResponse, message: EdgeFeedMessage): void {
    feed.write(`${JSON.stringify(message)}\n`);
  }

  async #takeAck(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ack = edgeAckSchema.parse(await readJson(request));
    if (this.acceptsAcks) this.acks.push(ack);
    response.writeHead(this.acceptsAcks ? 204 : 503).end();
  }

  async #sendCertificate(id: string, response: ServerResponse): Promise<void> {
    this.certificateRequests.push(id);
    await this.certificateGate;
    const certificate = this.certificates.get(id);
    if (certificate === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(certificate));
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array); // no encoding is set, so chunks are bytes
  return JSON.parse(Buffer.concat(chunks).toString());
}
