import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Connection } from '../tls/connection.js';
import { Exchange, type HeaderList, type SupportedHeader } from './exchange.js';
import { http2Head } from './response-head.js';

const gone = new Error('the stream has gone');

/** HTTP/2, on the stream itself: head and body are handed over at once, without setting one header after the other. */
export class Http2Exchange extends Exchange {
  readonly protocol = 'http/2';
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  /** A body ends with its stream and cannot be taken for another request. */
  readonly announcesBody = false;
  #isSentWhole = false;
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

  header(name: SupportedHeader): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  endConnection(): void {
    this.stream.session?.close();
  }

  breakOff(): void {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  /** RFC 9113 §8.7: nothing was done with it, so that it may be sent again. */
  refuse(): void {
    this.stream.close(constants.NGHTTP2_REFUSED_STREAM);
  }

  /** Not by a listener of the stream, where it can be helped: Node keeps streams for a while, and they what they know. */
  whenEnded(listener: (isComplete: boolean) => void): void {
    if (this.#isSentWhole) this.#listener = listener;
    else this.stream.on('close', () => listener(this.stream.writableFinished));
  }

  protected afterWrite(isTaken: boolean): void {
    this.#listener?.(isTaken);
  }

  protected override endStalled(): void {
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  protected sendFirst(status: number, headers: HeaderList, slice: Buffer, isLast: boolean): void {
    if (this.isGone) {
      this.onWritten(gone);
      return;
    }
    if (isLast && slice.length === 0) {
      this.stream.respond(http2Head(status, headers, Date.now()), { endStream: true });
      this.stream.on('close', () =>
        this.onWritten(this.stream.rstCode === constants.NGHTTP2_NO_ERROR ? undefined : gone),
      );
      return;
    }
    this.stream.respond(http2Head(status, headers, Date.now()));
    this.#isSentWhole = isLast;
    this.sendNext(slice, isLast);
  }

  protected sendNext(slice: Buffer, isLast: boolean): void {
    if (isLast) this.stream.end(slice, this.onWritten);
    else this.stream.write(slice, this.onWritten);
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
