import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '../tls/connection.js';
import { counted, Exchange, type HeaderList, type HeardHeader } from './exchange.js';
import { http2Head } from './response-head.js';

/** HTTP/2, on the stream itself: head and body are handed over at once, without setting one header after the other. */
export class Http2Exchange extends Exchange {
  readonly protocol = 'http/2';
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  /** A body ends with its stream and cannot be taken for another request. */
  readonly announcesBody = false;
  #isSent = false;
  #listener: ((isComplete: boolean) => void) | undefined;

  constructor(
    private readonly stream: ServerHttp2Stream,
    private readonly headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    readonly connection: Connection,
  ) {
    super();
    this.method = headers[':method'] ?? '';
    this.target = headers[':path'] ?? '';
    this.hosts = hostsOf(rawHeaders);
  }

  get isGone(): boolean {
    return this.stream.destroyed || this.stream.closed;
  }

  header(name: HeardHeader): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  endConnection(): void {
    this.stream.session?.close();
  }

  breakOff(): void {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  /** Not by a listener of the stream, where it can be helped: Node keeps streams for a while, and they what they know. */
  whenEnded(listener: (isComplete: boolean) => void): void {
    if (this.#isSent) this.#listener = listener;
    else this.stream.on('close', () => listener(this.stream.writableFinished));
  }

  protected send(status: number, headers: HeaderList, body: Buffer): void {
    if (this.isGone) return;
    if (body.length === 0) {
      this.stream.respond(http2Head(status, headers, Date.now()), { endStream: true });
      return;
    }
    this.stream.respond(http2Head(status, headers, Date.now()));
    this.#isSent = true;
    this.stream.end(body, (error?: Error | null) => this.#listener?.(error === undefined || error === null));
  }

  protected async pour(status: number, headers: HeaderList, content: Readable, bytes: number): Promise<void> {
    if (this.isGone) {
      content.destroy();
      return;
    }
    this.stream.respond(http2Head(status, headers, Date.now()));
    await pipeline(content, (chunks: AsyncIterable<Buffer>) => counted(chunks, bytes), this.stream);
  }
}

/** The same may be said twice, as `:authority` and as `host` (RFC 9113 §8.3.1). */
function hostsOf(rawHeaders: readonly string[]): readonly string[] {
  const hosts: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if ((name === ':authority' || name === 'host') && !hosts.includes(value)) hosts.push(value);
  }
  return hosts;
}
