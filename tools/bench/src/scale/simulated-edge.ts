import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import {
  EDGE_FEED_PROTOCOL,
  edgeSessionMessageSchema,
  edgeSnapshotManifestSchema,
  type EdgeSessionMessage,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import { readWhole, type FileStorage } from '@pets/platform';
import { WebSocket } from 'ws';

export interface SimulatedEdgeOptions {
  readonly apiUrl: string;
  readonly token: string;
  readonly storage: FileStorage;
  /** The position it begins at; an edge without a table by default. */
  readonly position?: { readonly epoch: string; readonly version: number };
  /** A complete batch has arrived for the first time. */
  readonly onInSync: () => void;
  /** The API has stored the acknowledgement of a newer version. */
  readonly onStored: (version: number) => void;
  /** A session has ended, and not because of a snapshot. */
  readonly onAborted: (reason: string) => void;
}

const SNAPSHOT_CLOSE = 4001;
const REPORT_MS = 5_000;
const RETRY_MS = 500;
const decompress = promisify(zstdDecompress);

/** An edge as pets-api sees it. It fetches, verifies and decompresses snapshots, and stores nothing. */
export class SimulatedEdge {
  readonly #id = randomUUID();
  readonly #options: SimulatedEdgeOptions;
  #epoch: string;
  #version: number;
  #storedVersion = -1;
  #isInSync = false;
  #isStopped = false;
  #socket: WebSocket | undefined;
  /** Acknowledgements that are not known to be stored, in order. */
  #sent: { readonly version: number; readonly atMs: number }[] = [];

  constructor(options: SimulatedEdgeOptions) {
    this.#options = options;
    this.#epoch = options.position?.epoch ?? '';
    this.#version = options.position?.version ?? 0;
  }

  /** Follows the feed until it is stopped. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const reference = await this.#follow();
      try {
        if (reference !== undefined) await this.#load(reference);
        else if (!this.#isStopped) await sleep(RETRY_MS);
      } catch (error) {
        this.#options.onAborted(`snapshot: ${String(error)}`);
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#socket?.terminate();
  }

  /** One session. @returns the snapshot to load before the next one */
  async #follow(): Promise<EdgeSnapshotReference | undefined> {
    const { apiUrl, token, onAborted } = this.#options;
    const position = this.#epoch === '' ? 'after=0' : `after=${this.#version}&epoch=${this.#epoch}`;
    const url = `${apiUrl.replace(/^http/, 'ws')}/internal/edge/session?${position}&protocol=${EDGE_FEED_PROTOCOL}`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
    this.#socket = socket;
    let snapshot: EdgeSnapshotReference | undefined;
    let reason = '';
    socket.on('error', (error) => (reason = error.message)); // `close` follows
    socket.on('open', () => this.#acknowledge());
    socket.on('message', (text) => {
      const message = edgeSessionMessageSchema.parse(JSON.parse((text as Buffer).toString())); // by default no fragments
      if (message.kind === 'snapshot') snapshot = message;
      else this.#take(message);
    });
    const reporting = setInterval(() => this.#acknowledge(), REPORT_MS);
    const [code] = (await once(socket, 'close').finally(() => clearInterval(reporting))) as [number];
    this.#sent = [];
    if (code !== SNAPSHOT_CLOSE && !this.#isStopped) onAborted(`${code} ${reason}`);
    return snapshot;
  }

  #take(message: EdgeSessionMessage): void {
    if (message.kind === 'contact') return this.#markStored(message.contactAtMs);
    if (message.kind !== 'batch') return;
    const { epoch, after, version, entries } = message;
    this.#epoch = epoch;
    if (version === after && entries.length > 0) return; // a part of a batch
    this.#version = version;
    this.#acknowledge();
    if (!this.#isInSync) this.#options.onInSync();
    this.#isInSync = true;
  }

  #acknowledge(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const atMs = performance.timeOrigin + performance.now();
    this.#sent.push({ version: this.#version, atMs });
    const addresses = { httpAddress: '127.0.0.1:1', httpsAddress: '127.0.0.1:1' };
    const position = { edgeId: this.#id, epoch: this.#epoch, version: this.#version };
    this.#socket.send(JSON.stringify({ kind: 'ack', ...position, ...addresses, sentAtMs: atMs }));
  }

  #markStored(contactAtMs: number): void {
    const stored = this.#sent.filter(({ atMs }) => atMs <= contactAtMs);
    this.#sent = this.#sent.slice(stored.length);
    const version = stored.at(-1)?.version ?? -1;
    if (version <= this.#storedVersion) return;
    this.#storedVersion = version;
    this.#options.onStored(version);
  }

  async #load(reference: EdgeSnapshotReference): Promise<void> {
    const { manifestKey: key, manifestBytes: bytes, manifestSha256: sha256 } = reference;
    const manifest = edgeSnapshotManifestSchema.parse(
      JSON.parse((await this.#read({ key, bytes, sha256 })).toString()),
    );
    for (const chunk of manifest.chunks) {
      const text = await decompress(await this.#read(chunk), { maxOutputLength: chunk.textBytes });
      if (text.length !== chunk.textBytes) throw new Error(`${chunk.key} does not have the bytes of the manifest`);
    }
    this.#epoch = reference.epoch;
    this.#version = reference.version;
  }

  async #read({ key, bytes, sha256 }: { key: string; bytes: number; sha256: string }): Promise<Buffer> {
    const content = await readWhole(await this.#options.storage.read(key), bytes);
    if (createHash('sha256').update(content).digest('hex') !== sha256) throw new Error(`${key} has another SHA-256`);
    return content;
  }
}
