import type { Duplex } from 'node:stream';
import type { ForwardOutcome } from '../metrics/edge-metrics.js';
import type { Exchange } from '../http/exchange.js';
import { Http1Exchange } from '../http/http1-exchange.js';
import type { PageName } from '../http/page-texts.js';
import type { Linked } from '../platform/linked-list.js';
import { sendPage, type ApplicationAnswer } from '../http/respond.js';
import { AnswerWriter, type AnswerTarget } from './answer-writer.js';
import type { Fields } from './fields.js';
import { OriginError, pageOfFailure } from './origin-error.js';
import { OriginRequest, type AnswerReceiver, type OriginRequestOptions } from './origin-request.js';
import type { Evictable, PlaceOwner } from './places.js';
import { Tunnel } from './tunnel.js';
import type { Visitor } from './visitor.js';

export interface ForwardingOptions extends OriginRequestOptions {
  readonly answer: ApplicationAnswer;
  readonly exchange: Exchange;
  readonly visitor: Visitor;
  /** Called once, when the application is not involved any more. @param detail of a failure */
  readonly onEnd: (forwarding: Forwarding, outcome: ForwardOutcome, detail: string) => void;
  /** Called when it has been in progress for a while. */
  readonly onLong: (forwarding: Forwarding) => void;
}

/** A request or WebSocket that takes longer counts as one that others may need the place of. */
const LONG_MS = 10_000;

/** One request on its way to an application (`OriginRequest`), and its answer on the way back to the visitor. */
export class Forwarding implements AnswerReceiver, AnswerTarget, Linked<Forwarding>, PlaceOwner, Evictable {
  /** Others in progress. */
  earlier: Forwarding | undefined;
  later: Forwarding | undefined;
  readonly #options: ForwardingOptions;
  readonly #request: OriginRequest;
  #writer: AnswerWriter | undefined;
  #tunnel: Tunnel | undefined;
  #trailers: Fields = [];
  #isLong = false;
  #hasEnded = false;

  constructor(options: ForwardingOptions) {
    this.#options = options;
    this.#request = new OriginRequest(options, this);
  }

  get organizationId(): string {
    return this.#options.compiled.origin.organizationId;
  }

  get projectId(): string {
    return this.#options.compiled.origin.projectId;
  }

  get answer(): ApplicationAnswer {
    return this.#options.answer;
  }

  get exchange(): Exchange {
    return this.#options.exchange;
  }

  get isTunnel(): boolean {
    return this.#tunnel !== undefined;
  }

  start(): void {
    const { exchange } = this.#options;
    exchange.connection.attach(this.#onReset);
    exchange.onClosed = this.#onVisitorClosed;
    this.#request.start();
  }

  /** Ends it if one of the sides has been silent for too long. */
  check(nowMs: number): void {
    if (!this.#isLong && nowMs - this.#options.exchange.startedAtMs > LONG_MS) this.#becomeLong();
    if (this.#request.isBodyStalled(nowMs)) return this.#endSlowBody();
    if (this.#tunnel !== undefined) {
      if (nowMs - this.#tunnel.activeAtMs > this.#options.compiled.origin.timeouts.idle * 1_000) this.#tunnel.end();
      return;
    }
    const silence = this.#request.silence(nowMs);
    if (silence !== undefined) this.onFailed(silence);
  }

  evict(): void {
    if (this.#tunnel !== undefined) this.#tunnel.evict();
    else this.onFailed(new OriginError('limit', 'others needed the place of this request'));
  }

  onSending(): void {
    const { visitor, body } = this.#options;
    if (body !== undefined && visitor.expectsContinue) visitor.sendInterim(100, []);
  }

  onHints(fields: Fields): void {
    try {
      this.#options.visitor.sendInterim(103, fields);
    } catch {
      // Node refuses links that are not written as RFC 8288 says; the answer itself follows.
    }
  }

  onAnswer(status: number, fields: Fields): void {
    const { exchange, visitor } = this.#options;
    if (exchange.isClosed) return this.#end('left', '');
    const isLast = exchange.method === 'HEAD' || status === 204 || status === 304;
    visitor.start(status, status === 204 ? withoutLength(fields) : fields, isLast);
    exchange.recordResponse(status, 0);
    this.#writer = new AnswerWriter(exchange, this);
  }

  onData(chunk: Buffer): boolean {
    return this.#writer?.push(chunk) ?? true;
  }

  onEnd(trailers: Fields): void {
    this.#trailers = trailers;
    this.#writer?.end();
  }

  writeAnswer(bytes: Buffer, onTaken: (error?: Error | null) => void): void {
    const { exchange, visitor } = this.#options;
    exchange.recordResponse(exchange.status, exchange.bytes + bytes.length);
    visitor.write(bytes, onTaken);
  }

  /** Everything that the application sent is written with it. */
  endAnswer(last: Buffer | undefined, onTaken: (error?: Error | null) => void): void {
    const { exchange, visitor } = this.#options;
    if (last !== undefined) exchange.recordResponse(exchange.status, exchange.bytes + last.length);
    visitor.end(last, this.#trailers, onTaken);
    if (this.#request.isBodyLeft) visitor.dropBody();
    this.#end('answered', '');
  }

  flushAnswer(): void {
    this.#options.visitor.flush();
  }

  onDrain(): void {
    this.#request.resume();
  }

  onBroken(): void {
    this.#options.exchange.abort();
    this.#end('left', '');
  }

  onUpgrade(application: Duplex, fields: Fields): void {
    const { exchange } = this.#options;
    if (!(exchange instanceof Http1Exchange)) throw new Error('only HTTP/1.1 has upgrades');
    this.#becomeLong();
    exchange.recordResponse(101, 0);
    this.#tunnel = new Tunnel({
      ...{ exchange, application, fields },
      onEnd: (isInOrder) => {
        if (isInOrder) this.#request.close();
        this.#end('answered', '');
      },
    });
  }

  onFailed(failure: OriginError | 'bad_request'): void {
    if (this.#hasEnded) return;
    const { exchange } = this.#options;
    if (exchange.isClosed) return this.#end('left', '');
    if (exchange.status !== 0) exchange.abort();
    else this.#sendPage(failure === 'bad_request' ? failure : pageOfFailure[failure.failure]);
    if (failure === 'bad_request') this.#end('refused', '');
    else this.#end(failure.failure, failure.message);
  }

  #becomeLong(): void {
    if (this.#isLong) return;
    this.#isLong = true;
    this.#options.onLong(this);
  }

  /** The edge ends the visitor's connection: the application gets nothing more either, from this tick on. */
  readonly #onReset = (): void => {
    if (this.#tunnel !== undefined) this.#tunnel.end();
    else this.#end('left', '');
  };

  readonly #onVisitorClosed = (): void => {
    this.#writer?.stop(); // also after the end: the visitor may not have taken all of it
    if (this.#tunnel !== undefined) this.#tunnel.visitorClosed();
    else this.#end('left', '');
  };

  #endSlowBody(): void {
    const { exchange } = this.#options;
    if (exchange.status === 0) this.#sendPage('request_timeout');
    else exchange.abort();
    this.#end('body_timeout', '');
  }

  #sendPage(page: PageName): void {
    const { exchange } = this.#options;
    try {
      if (this.#request.isBodyLeft && exchange.protocol !== 'http/2') exchange.endConnection();
      sendPage(page, exchange);
    } catch {
      exchange.abort(); // the visitor has left
    }
  }

  #end(outcome: ForwardOutcome, detail: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { exchange, onEnd } = this.#options;
    exchange.connection.detach(this.#onReset);
    if (outcome !== 'answered') this.#writer?.stop();
    this.#request.end();
    onEnd(this, outcome, detail);
  }
}

/** RFC 9110 §8.6: there is none with 204. */
function withoutLength(fields: Fields): Fields {
  return fields.filter((_part, at) => fields[at - (at % 2)] !== 'content-length');
}
