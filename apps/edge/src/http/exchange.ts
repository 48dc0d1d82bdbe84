import type { Readable } from 'node:stream';
import type { Protocol } from '../metrics/edge-metrics.js';
import type { Connection } from '../tls/connection.js';

export type Headers = Readonly<Record<string, string>>;

/** Names and values in turns, the form that Node copies from with the least work. */
export type HeaderList = readonly string[];

/** The headers of a request that are heard, besides the name of the host. */
export type HeardHeader = 'accept-encoding' | 'if-match' | 'if-none-match' | 'if-range' | 'range' | 'user-agent';

export const NOTHING = Buffer.alloc(0);

/**
 * A request and the way to answer it, whichever protocol it came by. An answer leaves whole: head and body are handed
 * over in one turn, so that they share a write and a TLS record.
 */
export abstract class Exchange {
  abstract readonly protocol: Protocol;
  abstract readonly connection: Connection;
  abstract readonly method: string;
  /** As on the wire. */
  abstract readonly target: string;
  /** Each Host header or `:authority`. */
  abstract readonly hosts: readonly string[];
  /** Whether a body is to follow, which nothing here reads. */
  abstract readonly announcesBody: boolean;
  /** Whether nobody is there to be answered any more. */
  abstract readonly isGone: boolean;
  #status = 0;
  #bytes = 0;
  #besides: Headers | undefined;

  abstract header(name: HeardHeader): string | undefined;
  /** Whatever comes after this request on its connection is not looked at. */
  abstract endConnection(): void;
  /** Ends without an answer, or in the middle of one: the client sees that bytes are missing. */
  abstract breakOff(): void;
  /**
   * Tells once when the answer has ended, one way or another, and whether all of it was sent. To be asked in the turn in which
   * the request has come, after what is answered at once.
   */
  abstract whenEnded(listener: (isComplete: boolean) => void): void;
  /** @param headers the same list again and again, where the answer is */
  protected abstract send(status: number, headers: HeaderList, body: Buffer): void;
  /** @throws Error when it broke off, on either side, or the content has another number of bytes */
  protected abstract pour(status: number, headers: HeaderList, content: Readable, bytes: number): Promise<void>;

  /** 0 until an answer has begun. */
  get status(): number {
    return this.#status;
  }

  /** Of the answer's body, as promised to the client. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Headers that go with whatever is answered. */
  addHeaders(headers: Headers): void {
    this.#besides = { ...this.#besides, ...headers };
  }

  /** Answers at once. HEAD gets the headers of GET, which say the body's length where there is one. */
  reply(status: number, headers: Headers | HeaderList, body: Buffer): void {
    const sent = this.method === 'HEAD' ? NOTHING : body;
    this.send(status, this.#complete(headers), sent);
    this.#begin(status, sent.length);
  }

  /**
   * Sends a stream as fast as the client takes it; a client that goes away ends the reading.
   * @param bytes how many it has, as the headers promise
   * @throws Error when it broke off, on either side, or brought another number of bytes
   */
  async replyFrom(status: number, headers: Headers, content: Readable, bytes: number): Promise<void> {
    const poured = this.pour(status, this.#complete(headers), content, bytes);
    this.#begin(status, bytes);
    await poured;
  }

  #begin(status: number, bytes: number): void {
    this.#status = status;
    this.#bytes = bytes;
  }

  #complete(headers: Headers | HeaderList): HeaderList {
    return this.#besides === undefined ? listOf(headers) : [...listOf(headers), ...listOf(this.#besides)];
  }
}

export function listOf(headers: Headers | HeaderList): HeaderList {
  return isList(headers) ? headers : Object.entries(headers).flat();
}

function isList(headers: Headers | HeaderList): headers is HeaderList {
  return Array.isArray(headers);
}

/**
 * Passes on what should be so many bytes.
 * @throws Error for more or less: the end of a body that is too short would leave the client waiting on the connection
 */
export async function* counted(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const chunk of chunks) {
    seen += chunk.length;
    if (seen > bytes) break;
    yield chunk;
  }
  if (seen !== bytes) throw new Error(`a stored file has not the ${bytes} bytes that it should have`);
}
