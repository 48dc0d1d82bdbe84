import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { http } from '@pets/platform';
import type { Protocol } from '../metrics/edge-metrics.js';
import type { Connection } from '../tls/connection.js';
import { KEEP_ALIVE_SECONDS } from '../tls/connection-registry.js';
import { markLastResponse } from './pages.js';
import {
  Exchange,
  type FinishListener,
  type FirstSlice,
  type HeaderList,
  type StoredHeaders,
  type SupportedHeader,
} from './exchange.js';
import { lingerAfter } from './linger.js';

const closed = new Error('the connection was closed');

const keepAlive: HeaderList = ['Keep-Alive', `timeout=${KEEP_ALIVE_SECONDS}`];
/** A response of HTTP/1.0 without it ends with its connection. */
const LENGTH = 'content-length';

/**
 * A response of HTTP/1 that reports its end and its errors to functions. Node creates it (its options `ServerResponse` and
 * `http1Options`). Listeners, two for each response, cost a bare server 2 % of its processor time.
 */
export class Http1Response<Request extends IncomingMessage = IncomingMessage> extends http.ServerResponse<Request> {
  onClose: (() => void) | undefined;
  onError: ((error: Error) => void) | undefined;

  /** Node emits at most one argument. A list of them would be made for each event. */
  override emit(event: string | symbol, argument?: unknown): boolean {
    if (event === 'close') this.onClose?.();
    else if (event === 'error') {
      this.onError?.(argument as Error); // Node emits nothing else
      return true;
    }
    return argument === undefined ? super.emit(event as string) : super.emit(event as string, argument);
  }
}

/** HTTP/1.0 and 1.1, on both ports. */
export class Http1Exchange extends Exchange {
  readonly protocol: Protocol;
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  readonly request: IncomingMessage;
  /** Node's getter is a call for each use. */
  readonly #headers: IncomingHttpHeaders;
  readonly response: Http1Response;
  /** Bytes that followed a request for another protocol, which its socket does not have any more. */
  upgradeHead: Buffer | undefined;
  /** Whether a connection of another protocol has ended as its peers wanted. */
  hasEndedInOrder = false;
  #isLast = false;

  constructor(request: IncomingMessage, response: Http1Response, connection: Connection) {
    super(connection);
    this.request = request;
    this.#headers = request.headers;
    this.response = response;
    this.protocol = request.httpVersionMinor === 0 ? 'http/1.0' : 'http/1.1';
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    this.hosts = hostsOf(request);
  }

  get announcesBody(): boolean {
    const headers = this.#headers;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  }

  get isClosed(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  header(name: SupportedHeader): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  endConnection(): void {
    markLastResponse(this.request.socket);
    if (this.announcesBody) lingerAfter(this.request);
    this.#isLast = true;
    this.connection.dropWaiting();
    this.addHeaders({ connection: 'close' });
  }

  abort(): void {
    this.response.destroy();
  }

  refuse(): void {
    this.connection.reset();
  }

  onFinished(listener: FinishListener): void {
    this.response.onClose = () => {
      this.response.onClose = undefined;
      const isComplete = this.response.writableFinished || this.hasEndedInOrder;
      this.settleWrite(isComplete ? undefined : closed);
      this.reportClosed();
      listener(this, isComplete);
    };
  }

  abortStalled(): void {
    this.connection.endStalled(true);
  }

  protected writeFirst(status: number, headers: HeaderList, { slice, isLast, stored }: FirstSlice): void {
    this.response.writeHead(status, this.withKeepAlive(headers, stored) as string[]); // Node only reads the list
    this.writeNext(slice, isLast);
  }

  /** Tells clients how long the connection stays open, as Node does where it ends idle connections. */
  withKeepAlive(headers: HeaderList, stored?: StoredHeaders): HeaderList {
    const staysOpen =
      this.response.shouldKeepAlive && !this.#isLast && (this.protocol === 'http/1.1' || headers.includes(LENGTH));
    if (!staysOpen) return headers;
    return stored?.headers === headers ? stored.headersWith(keepAlive) : headers.concat(keepAlive);
  }

  /** `onFinished` settles the last write: a callback of `end` would be one more listener for each response. */
  protected writeNext(slice: Buffer, isLast: boolean): void {
    if (!isLast) this.response.write(slice, (error) => this.settleWrite(error));
    else if (slice.length === 0) this.response.end();
    else this.response.end(slice);
  }
}

/** `headers` contains only the first Host header, so all of them are counted in `rawHeaders`. */
function hostsOf({ headers, rawHeaders }: IncomingMessage): readonly string[] {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 ? [headers.host ?? ''] : Array.from({ length: count }, () => headers.host ?? '');
}
