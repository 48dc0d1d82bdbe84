import type { Http1Exchange } from '../http/http1-exchange.js';
import { listOf } from '../http/exchange.js';
import { dropBody, lingerAfter } from '../http/linger.js';
import { valuesOf, type Fields } from './fields.js';
import type { AnnouncedBody, Visitor } from './visitor.js';

/** Bytes that are written faster as a text of Latin-1, of which each character is a byte. */
const TEXT_BYTES = 4 * 1024;

/** HTTP/1.0 and 1.1. */
export class Http1Visitor implements Visitor {
  readonly version: string;
  readonly #exchange: Http1Exchange;

  constructor(exchange: Http1Exchange) {
    this.#exchange = exchange;
    this.version = exchange.protocol === 'http/1.0' ? '1.0' : '1.1';
  }

  get received(): Fields {
    return this.#exchange.request.rawHeaders;
  }

  get body(): AnnouncedBody | 'invalid' | undefined {
    const { request, announcesBody, protocol } = this.#exchange;
    if (!announcesBody) return undefined;
    const { 'transfer-encoding': coding, 'content-length': length } = request.headers;
    if (coding === undefined) return { source: request, length: Number(length) };
    const isKnown = coding.trim().toLowerCase() === 'chunked' && protocol === 'http/1.1'; // RFC 9112 §6.1
    return isKnown ? { source: request, length: undefined } : 'invalid';
  }

  get expectsContinue(): boolean {
    return this.#exchange.protocol === 'http/1.1' && this.#exchange.request.headers.expect !== undefined;
  }

  sendInterim(status: number, fields: Fields): void {
    const { response, protocol } = this.#exchange;
    if (protocol === 'http/1.0' || response.headersSent) return;
    if (status === 100) response.writeContinue();
    else response.writeEarlyHints({ link: [...valuesOf(fields, 'link')] });
  }

  start(status: number, fields: Fields): void {
    const { request, response, extraHeaders } = this.#exchange;
    if (!response.shouldKeepAlive && !request.complete) lingerAfter(request);
    const all = extraHeaders === undefined ? fields : [...fields, ...listOf(extraHeaders)];
    response.writeHead(status, this.#exchange.withKeepAlive(all) as string[]); // Node only reads the list
  }

  flush(): void {
    const { response } = this.#exchange;
    if (!response.writableEnded && response.writableLength === 0) response.flushHeaders();
  }

  write(bytes: Buffer, onTaken: (error?: Error | null) => void): void {
    this.#exchange.response.write(bytes, onTaken);
  }

  /** `Http1Exchange.onFinished` settles the last write: a callback of `end` would be one more listener for each response. */
  end(last: Buffer | undefined, trailers: Fields): void {
    const { response } = this.#exchange;
    if (trailers.length > 0) response.addTrailers(pairsOf(trailers));
    if (last === undefined) response.end();
    // Node writes a text together with the head, bytes as a list of pieces, which takes longer while there are few.
    else if (last.length <= TEXT_BYTES) response.end(last.toString('latin1'), 'latin1');
    else response.end(last);
  }

  dropBody(): void {
    const { request, response } = this.#exchange;
    if (response.shouldKeepAlive) dropBody(request, response); // else `lingerAfter` does it
  }
}

function pairsOf(fields: Fields): [string, string][] {
  return fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []));
}
