import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Connection } from '../tls/connection.js';
import { datedFields } from './dated-fields.js';
import { Exchange, type FinishListener, type FirstSlice, type HeaderList, type SupportedHeader } from './exchange.js';

const closed = new Error('the stream was closed');

/** HTTP/2, on the stream itself: Node's imitation of an HTTP/1 request costs more than the rest of the response. */
export class Http2Exchange extends Exchange {
  readonly protocol = 'http/2';
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  /** A body ends with its stream and cannot be mistaken for another request. */
  readonly announcesBody = false;
  readonly http2Stream: ServerHttp2Stream;
  readonly rawHeaders: readonly string[];
  readonly #headers: IncomingHttpHeaders;
  #isSentAtOnce = false;
  #onSentAtOnce: FinishListener | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    connection: Connection,
  ) {
    super(connection);
    this.http2Stream = stream;
    this.rawHeaders = rawHeaders;
    this.#headers = headers;
    this.method = headers[':method'] ?? '';
    this.target = headers[':path'] ?? '';
    this.hosts = hostsOf(rawHeaders);
  }

  get isClosed(): boolean {
    return this.http2Stream.destroyed || this.http2Stream.closed;
  }

  header(name: SupportedHeader): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  endConnection(): void {
    this.http2Stream.session?.close();
  }

  abort(): void {
    this.http2Stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  /** RFC 9113 §8.7: the request was not processed, so the client may send it again. */
  refuse(): void {
    this.http2Stream.close(constants.NGHTTP2_REFUSED_STREAM);
  }

  /**
   * Avoids a listener of the stream where possible: Node keeps closed streams for a while, and with them everything that
   * their listeners refer to.
   */
  onFinished(listener: FinishListener): void {
    if (this.#isSentAtOnce) this.#onSentAtOnce = listener;
    else {
      this.http2Stream.on('close', () => {
        this.reportClosed();
        listener(this, this.http2Stream.writableFinished);
      });
    }
  }

  abortStalled(): void {
    this.http2Stream.close(constants.NGHTTP2_CANCEL);
  }

  protected writeFirst(status: number, headers: HeaderList, { slice, isLast, stored }: FirstSlice): void {
    if (this.isClosed) {
      this.settleWrite(closed);
      return;
    }
    const isStored = stored?.headers === headers && status === 200;
    const head = isStored
      ? (stored.headersWith(datedFields(Date.now())) as string[]) // Node only reads it: nothing is missing
      : [':status', String(status), ...headers];
    if (isLast && slice.length === 0) {
      this.http2Stream.respond(head, { endStream: true });
      this.#dropBody();
      this.http2Stream.on('close', () =>
        this.settleWrite(this.http2Stream.rstCode === constants.NGHTTP2_NO_ERROR ? undefined : closed),
      );
      return;
    }
    this.http2Stream.respond(head);
    this.#isSentAtOnce = isLast;
    this.writeNext(slice, isLast);
  }

  protected writeNext(slice: Buffer, isLast: boolean): void {
    if (isLast) this.http2Stream.end(slice, (error?: Error | null) => this.#onEnd(error));
    else this.http2Stream.write(slice, (error) => this.settleWrite(error));
  }

  #onEnd(error?: Error | null): void {
    this.#dropBody();
    if (this.settleWrite(error)) this.#onSentAtOnce?.(this, error === undefined || error === null);
  }

  /** RFC 9113 §8.1: the answer is complete. A client would wait until the rest of its body is read. */
  #dropBody(): void {
    const { http2Stream: stream } = this;
    if (!stream.endAfterHeaders && !stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  }
}

/** The same host may be given twice, as `:authority` and as `host` (RFC 9113 §8.3.1). */
function hostsOf(rawHeaders: readonly string[]): readonly string[] {
  const hosts: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    const value = rawHeaders[at + 1] ?? '';
    if ((name === ':authority' || name === 'host') && !hosts.includes(value)) hosts.push(value);
  }
  return hosts;
}
