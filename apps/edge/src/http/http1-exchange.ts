import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Protocol } from '../metrics/edge-metrics.js';
import type { Connection } from '../tls/connection.js';
import { markLastAnswer } from './client-error.js';
import { Exchange, type HeaderList, type SupportedHeader } from './exchange.js';

/** HTTP/1.0 and 1.1, over TLS or not. */
export class Http1Exchange extends Exchange {
  readonly protocol: Protocol;
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    readonly connection: Connection,
  ) {
    super();
    this.protocol = request.httpVersionMinor === 0 ? 'http/1.0' : 'http/1.1';
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    this.hosts = hostsOf(request);
  }

  get announcesBody(): boolean {
    const { headers } = this.request;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  }

  get isGone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  header(name: SupportedHeader): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  endConnection(): void {
    markLastAnswer(this.request.socket);
    this.connection.dropWaiting();
    this.addHeaders({ connection: 'close' });
  }

  breakOff(): void {
    this.response.destroy();
  }

  refuse(): void {
    this.connection.reset();
  }

  whenEnded(listener: (isComplete: boolean) => void): void {
    this.response.on('close', () => {
      const isComplete = this.response.writableFinished;
      this.onWritten(isComplete ? undefined : new Error('the connection has gone'));
      listener(isComplete);
    });
  }

  protected afterWrite(): void {
    // its response tells when it has closed
  }

  protected override endStalled(): void {
    this.connection.endStalled(true);
  }

  protected sendFirst(status: number, headers: HeaderList, slice: Buffer, isLast: boolean): void {
    this.response.writeHead(status, [...headers]);
    this.sendNext(slice, isLast);
  }

  protected sendNext(slice: Buffer, isLast: boolean): void {
    if (!isLast) this.response.write(slice, this.onWritten);
    else if (slice.length === 0) this.response.end(this.#onEnded);
    else this.response.end(slice, this.#onEnded);
  }

  readonly #onEnded = (): void => this.onWritten();
}

/** `headers` has only the first of several, so the others are looked for where all of them stand. */
function hostsOf({ headers, rawHeaders }: IncomingMessage): readonly string[] {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 ? [headers.host ?? ''] : Array.from({ length: count }, () => headers.host ?? '');
}
