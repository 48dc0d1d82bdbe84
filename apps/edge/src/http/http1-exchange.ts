import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Protocol } from '../metrics/edge-metrics.js';
import type { Connection } from '../tls/connection.js';
import { markLastResponse } from './client-error.js';
import { Exchange, type HeaderList, type SupportedHeader } from './exchange.js';

/** HTTP/1.0 and 1.1, on both ports. */
export class Http1Exchange extends Exchange {
  readonly protocol: Protocol;
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    super(connection);
    this.#request = request;
    this.#response = response;
    this.protocol = request.httpVersionMinor === 0 ? 'http/1.0' : 'http/1.1';
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    this.hosts = hostsOf(request);
  }

  get announcesBody(): boolean {
    const { headers } = this.#request;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed;
  }

  header(name: SupportedHeader): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  endConnection(): void {
    markLastResponse(this.#request.socket);
    this.connection.dropWaiting();
    this.addHeaders({ connection: 'close' });
  }

  abort(): void {
    this.#response.destroy();
  }

  refuse(): void {
    this.connection.reset();
  }

  onFinished(listener: (isComplete: boolean) => void): void {
    this.#response.on('close', () => {
      const isComplete = this.#response.writableFinished;
      this.settleWrite(isComplete ? undefined : new Error('the connection was closed'));
      listener(isComplete);
    });
  }

  protected abortStalled(): void {
    this.connection.endStalled(true);
  }

  protected writeFirst(status: number, headers: HeaderList, slice: Buffer, isLast: boolean): void {
    this.#response.writeHead(status, headers as string[]); // Node only reads the list
    this.writeNext(slice, isLast);
  }

  /** `onFinished` settles the last write: a callback of `end` would be one more listener for each response. */
  protected writeNext(slice: Buffer, isLast: boolean): void {
    if (!isLast) this.#response.write(slice, this.settleWrite);
    else if (slice.length === 0) this.#response.end();
    else this.#response.end(slice);
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
