import type { Readable } from 'node:stream';
import type { Fields } from './fields.js';

/** The body that a request announces. */
export interface AnnouncedBody {
  readonly source: Readable;
  /** Undefined for one of unknown length. */
  readonly length: number | undefined;
}

/** The visitor's side of a forwarded request, for every protocol. */
export interface Visitor {
  /** The protocol for `Via`. */
  readonly version: string;
  readonly received: Fields;
  /** Undefined without a body; `invalid` for one that is encoded in a way that the edge does not know. */
  readonly body: AnnouncedBody | 'invalid' | undefined;
  /** Whether the visitor waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** Sends an interim answer, 100 or 103. */
  sendInterim(status: number, fields: Fields): void;
  /** Sends the head of the answer: with the first bytes, or by `flush`. @param isLast whether there is no body */
  start(status: number, fields: Fields, isLast: boolean): void;
  /** @param onTaken called when the client, or its kernel, has taken the bytes or never will */
  write(bytes: Buffer, onTaken: (error?: Error | null) => void): void;
  /** Sends a head that waits for the first bytes. */
  flush(): void;
  /**
   * Ends the answer, with its last bytes if there are any.
   * @param onTaken like that of `write`; not called where the end of the exchange settles its last write
   */
  end(last: Buffer | undefined, trailers: Fields, onTaken: (error?: Error | null) => void): void;
  /**
   * Drops the rest of a body whose answer is complete. The connection of HTTP/1 ends if too much is left, or it does not come: what
   * follows cannot be told from the next request.
   */
  dropBody(): void;
}
