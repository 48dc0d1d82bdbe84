import { constants } from 'node:http2';
import { listOf } from '../http/exchange.js';
import type { Http2Exchange } from '../http/http2-exchange.js';
import { valuesOf, type Fields } from './fields.js';
import type { AnnouncedBody, Visitor } from './visitor.js';

/** HTTP/2. */
export class Http2Visitor implements Visitor {
  readonly version = '2.0';
  readonly #exchange: Http2Exchange;
  #trailers: Fields = [];
  #isLast = false;

  constructor(exchange: Http2Exchange) {
    this.#exchange = exchange;
  }

  get received(): Fields {
    return this.#exchange.rawHeaders;
  }

  get body(): AnnouncedBody | undefined {
    const { http2Stream: stream, rawHeaders } = this.#exchange;
    if (stream.endAfterHeaders) return undefined;
    // nghttp2 ends streams whose body has another length.
    const [length] = valuesOf(rawHeaders, 'content-length');
    return { source: stream, length: length === undefined ? undefined : Number(length) };
  }

  get expectsContinue(): boolean {
    return valuesOf(this.#exchange.rawHeaders, 'expect').some((value) => value.toLowerCase() === '100-continue');
  }

  sendInterim(status: number, fields: Fields): void {
    const { http2Stream: stream, isClosed } = this.#exchange;
    if (isClosed || stream.headersSent) return;
    stream.additionalHeaders({ ':status': status, ...(status === 103 && { link: [...valuesOf(fields, 'link')] }) });
  }

  start(status: number, fields: Fields, isLast: boolean): void {
    const { http2Stream: stream, extraHeaders } = this.#exchange;
    this.#isLast = isLast;
    const more = extraHeaders === undefined ? [] : listOf(extraHeaders);
    // An answer that announces its length has no trailers.
    const waitForTrailers = !isLast && valuesOf(fields, 'content-length').length === 0;
    if (waitForTrailers)
      stream.once('wantTrailers', () => stream.sendTrailers(Object.fromEntries(pairsOf(this.#trailers))));
    stream.respond([':status', String(status), ...fields, ...more], { endStream: isLast, waitForTrailers });
  }

  write(bytes: Buffer, onTaken: (error?: Error | null) => void): void {
    this.#exchange.http2Stream.write(bytes, onTaken);
  }

  flush(): void {
    // It is on its way.
  }

  end(last: Buffer | undefined, trailers: Fields, onTaken: (error?: Error | null) => void): void {
    const { http2Stream: stream } = this.#exchange;
    this.#trailers = trailers;
    if (this.#isLast) return;
    if (last === undefined) stream.end();
    else stream.end(last, onTaken);
  }

  /** RFC 9113 §8.1: the answer is complete, so the rest is not needed. */
  dropBody(): void {
    const { http2Stream: stream } = this.#exchange;
    const drop = () => stream.close(constants.NGHTTP2_NO_ERROR);
    if (stream.writableFinished) drop();
    else stream.once('finish', drop);
  }
}

function pairsOf(fields: Fields): [string, string[]][] {
  const values = new Map<string, string[]>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? '';
    values.set(name, [...(values.get(name) ?? []), fields[at + 1] ?? '']);
  }
  return [...values];
}
