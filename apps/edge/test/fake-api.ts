import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  EDGE_FEED_PROTOCOL,
  edgeSessionAckSchema,
  MAX_BATCH_ENTRIES,
  type ApiError,
  type EdgeFeedEntry,
  type EdgeRoute,
  type EdgeSessionAck,
  type EdgeSessionMessage,
  type EdgeSnapshotReference,
  type SealedCertificate,
} from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import { freePort, waitUntil } from '@pets/testing';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { writeSnapshot } from './write-snapshot.js';

interface Session {
  readonly socket: WebSocket;
  readonly query: URLSearchParams;
  isRegistered: boolean;
  /** The version that was sent last; undefined before the first batch. */
  after: number | undefined;
}

/** The API's side of the feed: speaks the contract over real WebSockets, and fails when asked to. Refuses unexpected calls. */
export class FakeApi {
  static readonly token = 'edge-token-for-tests';
  readonly acks: EdgeSessionAck[] = [];
  readonly deregistered: string[] = [];
  readonly certificates = new Map<string, SealedCertificate>();
  readonly certificateRequests: string[] = [];
  /** While set, downloads of certificates wait for it. */
  certificateGate: Promise<void> | undefined;
  /** If false, acknowledgements are not committed, and their sessions end. */
  acceptsAcks = true;
  /** The contact to send for an acknowledgement; undefined for none. */
  contactOf: (ack: EdgeSessionAck) => number | undefined = ({ sentAtMs }) => sentAtMs;
  /** The origins that edges are asked about, in each contact. */
  askedOrigins: string[] | undefined;
  heartbeatMs = 200;
  epoch = 'epoch-1';
  version = 0;
  /** Readers of an older version get a snapshot. */
  compactedVersion = 0;
  maxBatchEntries = MAX_BATCH_ENTRIES;
  /** Whether the batch that ends a step is not sent. */
  withholdsLastPart = false;
  thumbprint: string | null = 'THUMBPRINT';
  platformCertificate: string | null = null;
  /** The query of each request for a session. */
  readonly feedRequests: URLSearchParams[] = [];
  /** While set, requests for a session are refused with it. */
  feedRefusal: ApiError | undefined;
  /** The versions of the snapshots that were sent. */
  readonly snapshotsSent: number[] = [];
  /** Damages files of snapshots as they are written. */
  damage: ((key: string, content: Buffer) => Buffer) | undefined;
  #hosts = new Map<string, { version: number; route: EdgeRoute | null }>();
  readonly #sessions = new Set<Session>();
  readonly #storage: () => Promise<FileStorage>;
  #server: Server | undefined;
  #port = 0;

  /** @param storage of the snapshots */
  constructor(storage: () => Promise<FileStorage>) {
    this.#storage = storage;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** How many edges receive changes. */
  get connectedEdges(): number {
    return [...this.#sessions].filter(({ after }) => after !== undefined).length;
  }

  async up(): Promise<void> {
    this.#port ||= await freePort(); // the same at each return
    const server = createServer((request, response) => void this.#handle(request, response));
    const sessions = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
      const isKnown = pathname === '/internal/edge/session' && isAuthorized(request);
      if (isKnown) this.feedRequests.push(searchParams);
      if (!isKnown || this.feedRefusal !== undefined) return refuseUpgrade(socket, this.feedRefusal);
      sessions.handleUpgrade(request, socket, head, (opened) => this.#openSession(opened, searchParams));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    this.dropFeeds();
    server.closeAllConnections();
    await closed;
  }

  /** Publishes one version. Returns it. */
  publish(routes: Readonly<Record<string, EdgeRoute | null>>): number {
    this.version += 1;
    for (const [host, route] of Object.entries(routes)) this.#hosts.set(host, { version: this.version, route });
    for (const session of this.#sessions) if (session.after !== undefined) this.#sendBatch(session, session.after);
    return this.version;
  }

  /** Publishes and waits until the edge has acknowledged it. */
  async publishAndSettle(routes: Readonly<Record<string, EdgeRoute | null>>): Promise<void> {
    await this.acknowledged(this.publish(routes));
  }

  async acknowledged(version: number): Promise<void> {
    await waitUntil(() => this.hasAcknowledged(version), { message: `version ${version} is acknowledged` });
  }

  hasAcknowledged(version: number): boolean {
    return this.acks.some((ack) => ack.epoch === this.epoch && ack.version >= version);
  }

  /** A new database: versions start again. */
  startEpoch(epoch: string, routes: Readonly<Record<string, EdgeRoute>>): void {
    this.epoch = epoch;
    this.version = 1;
    this.#hosts = new Map(Object.entries(routes).map(([host, route]) => [host, { version: 1, route }]));
  }

  /** Forgets hosts that were removed: only a snapshot brings an older reader up to date. */
  compact(): void {
    this.compactedVersion = this.version;
    for (const [host, { route }] of this.#hosts) if (route === null) this.#hosts.delete(host);
  }

  /** Writes a snapshot of the current version to the storage. @returns the message for an edge */
  async writeSnapshot(): Promise<EdgeSnapshotReference> {
    const { epoch, version, thumbprint } = this;
    const rows = [...this.#hosts].flatMap(([host, { version: at, route }]) =>
      route === null ? [] : [{ host, version: at, route }],
    );
    return writeSnapshot(await this.#storage(), { epoch, version, thumbprint, rows }, this.damage);
  }

  /** Sends a text in every session. */
  sendRaw(text: string): void {
    for (const { socket } of this.#sessions) socket.send(text);
  }

  dropFeeds(): void {
    for (const { socket } of this.#sessions) socket.terminate();
  }

  #openSession(socket: WebSocket, query: URLSearchParams): void {
    const session: Session = { socket, query, isRegistered: false, after: undefined };
    this.#sessions.add(session);
    const heartbeat = setInterval(
      () => this.#send(session, { kind: 'heartbeat', version: this.version }),
      this.heartbeatMs,
    );
    socket.on('message', (data) => void this.#takeAck(session, textOf(data)));
    socket.on('close', () => {
      clearInterval(heartbeat);
      this.#sessions.delete(session);
    });
  }

  async #takeAck(session: Session, text: string): Promise<void> {
    const ack = edgeSessionAckSchema.parse(JSON.parse(text));
    if (!this.acceptsAcks) return session.socket.close(1013, 'try again later');
    this.acks.push(ack);
    const contactAtMs = this.contactOf(ack);
    if (contactAtMs !== undefined) this.#send(session, this.#contact(contactAtMs));
    if (session.isRegistered) return;
    session.isRegistered = true;
    await this.#sendFirst(session);
  }

  #contact(contactAtMs: number): EdgeSessionMessage {
    const { askedOrigins: origins } = this;
    return { kind: 'contact', contactAtMs, ...(origins !== undefined && { origins }) };
  }

  async #sendFirst(session: Session): Promise<void> {
    const { query } = session;
    const after = Number(query.get('after'));
    const canContinue = query.get('epoch') === this.epoch && after <= this.version && after >= this.compactedVersion;
    if (canContinue) return this.#sendBatch(session, after);
    this.snapshotsSent.push(this.version);
    this.#send(session, await this.writeSnapshot());
    session.socket.close();
  }

  #sendBatch(session: Session, after: number): void {
    const { epoch, version, thumbprint, platformCertificate } = this;
    const entries: EdgeFeedEntry[] = [...this.#hosts]
      .filter(([, host]) => host.version > after)
      .map(([host, state]) => ({ host, ...state }));
    const protocol = EDGE_FEED_PROTOCOL;
    const base = { kind: 'batch', epoch, protocol, after, thumbprint, platformCertificate } as const;
    while (entries.length > this.maxBatchEntries)
      this.#send(session, { ...base, version: after, entries: entries.splice(0, this.maxBatchEntries) });
    if (!this.withholdsLastPart) this.#send(session, { ...base, version, entries });
    session.after = version;
  }

  #send({ socket }: Session, message: EdgeSessionMessage): void {
    socket.send(JSON.stringify(message));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    if (!isAuthorized(request)) return void response.writeHead(401).end();
    const [, kind, id = ''] = /^\/internal\/edge\/(edges|certificates)\/(.+)$/.exec(pathname) ?? [];
    if (kind === 'edges' && request.method === 'DELETE') {
      this.deregistered.push(id);
      return void response.writeHead(204).end();
    }
    if (kind === 'certificates') return this.#sendCertificate(id, response);
    throw new Error(`unexpected call: ${request.method ?? ''} ${pathname}`);
  }

  async #sendCertificate(id: string, response: ServerResponse): Promise<void> {
    this.certificateRequests.push(id);
    await this.certificateGate;
    const certificate = this.certificates.get(id);
    if (certificate === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(certificate));
  }
}

/** @throws Error for a message in fragments, which the edge does not send */
function textOf(data: RawData): string {
  if (!Buffer.isBuffer(data)) throw new Error('unexpected form of a message');
  return data.toString();
}

function isAuthorized({ headers }: IncomingMessage): boolean {
  return headers.authorization === `Bearer ${FakeApi.token}`;
}

function refuseUpgrade(socket: Duplex, refusal: ApiError | undefined): void {
  const body = refusal === undefined ? '' : JSON.stringify(refusal);
  socket.end(
    `HTTP/1.1 ${refusal?.status ?? 401} Refused\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
