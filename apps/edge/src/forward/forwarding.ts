import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ForwardOutcome } from '../metrics/edge-metrics.js';
import type { Exchange } from '../http/exchange.js';
import { Http1Exchange } from '../http/http1-exchange.js';
import type { PageName } from '../http/page-texts.js';
import { sendPage, type ApplicationAnswer } from '../http/respond.js';
import { answerFields, trailerFields, type AnswerContext } from './answer-fields.js';
import { AnswerWriter } from './answer-writer.js';
import { classifyError, mayRepeat } from './classify-error.js';
import type { Fields } from './fields.js';
import type { OriginConnection } from './origin-connection.js';
import { OriginError, pageOfFailure } from './origin-error.js';
import type { CompiledOrigin } from './origins.js';
import type { Evictable, PlaceOwner } from './places.js';
import { RequestBody } from './request-body.js';
import { Tunnel } from './tunnel.js';
import type { AnnouncedBody, Visitor } from './visitor.js';

export interface ForwardingOptions {
  readonly answer: ApplicationAnswer;
  readonly exchange: Exchange;
  readonly visitor: Visitor;
  readonly body: AnnouncedBody | undefined;
  readonly compiled: CompiledOrigin;
  /** Fields of the request, without those that say how its body is read. */
  readonly fields: readonly string[];
  readonly answerContext: AnswerContext;
  /** Called once, when the application is not involved any more. @param detail of a failure */
  readonly onEnd: (forwarding: Forwarding, outcome: ForwardOutcome, detail: string) => void;
  /** Called when it has been in progress for a while. */
  readonly onLong: (forwarding: Forwarding) => void;
}

/** A request or WebSocket that takes longer counts as one that others may need the place of. */
const LONG_MS = 10_000;
/** More interim answers are no answer. */
const MAX_INTERIM = 16;
/** Connections that were closed before the request was sent, or before its answer began. */
const MAX_REPEATS = 2;

type Phase = 'connecting' | 'waiting' | 'answering' | 'tunnel' | 'ended';

/** One request on its way to an application, and its answer on the way back. */
export class Forwarding implements Dispatcher.DispatchHandler, PlaceOwner, Evictable {
  readonly #options: ForwardingOptions;
  readonly #startedAtMs = performance.now();
  #phase: Phase = 'connecting';
  #connection: OriginConnection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: RequestBody | undefined;
  #writer: AnswerWriter | undefined;
  #tunnel: Tunnel | undefined;
  #trailers: Fields = [];
  #repeats = 0;
  #interim = 0;
  #isReused = false;
  #isSent = false;
  #hasAnswerBegun = false;
  #isLong = false;
  #activeAtMs = 0;
  #cancelWait: (() => void) | undefined;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  get organizationId(): string {
    return this.#options.compiled.origin.organizationId;
  }

  get projectId(): string {
    return this.#options.compiled.origin.projectId;
  }

  get exchange(): Exchange {
    return this.#options.exchange;
  }

  get isTunnel(): boolean {
    return this.#tunnel !== undefined;
  }

  start(): void {
    const { exchange, visitor } = this.#options;
    exchange.connection.attach(this.#onReset);
    visitor.onClosed(this.#onVisitorClosed);
    try {
      this.#acquire();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends it if one of the sides has been silent for too long. */
  check(nowMs: number): void {
    const { answer, idle } = this.#options.compiled.origin.timeouts;
    const body = this.#body;
    if (!this.#isLong && nowMs - this.#startedAtMs > LONG_MS) this.#becomeLong();
    if (body?.progress.isStalled(nowMs)) return this.#endSlowBody();
    const silentMs = nowMs - Math.max(this.#activeAtMs, body?.receivedAtMs ?? 0);
    if (this.#phase === 'waiting') {
      if (body?.progress.isWaiting !== true && silentMs > answer * 1_000)
        this.#fail(new OriginError('timeout', `no answer within ${answer} s`));
    } else if (this.#phase === 'answering') {
      if (this.#controller?.paused !== true && silentMs > idle * 1_000)
        this.#fail(new OriginError('timeout', `nothing was sent for ${idle} s`));
    } else if (this.#phase === 'tunnel') {
      if (nowMs - (this.#tunnel?.activeAtMs ?? 0) > idle * 1_000) this.#tunnel?.end();
    }
  }

  evict(): void {
    if (this.#tunnel !== undefined) this.#tunnel.evict();
    else this.#fail(new OriginError('limit', 'others needed the place of this request'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#isSent = true;
    if (this.#phase === 'ended') this.#connection?.reset();
  }

  onResponseStarted(): void {
    this.#hasAnswerBegun = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#phase === 'ended') return;
    this.#activeAtMs = performance.now();
    try {
      const fields = answerFields(decode(controller.rawHeaders), this.#options.answerContext);
      if (status < 200) this.#passInterim(status, fields);
      else this.#begin(status, fields);
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase !== 'answering') return;
    this.#activeAtMs = performance.now();
    if (this.#writer?.push(chunk) === false && this.#phase === 'answering') controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#phase !== 'answering') return;
    try {
      this.#trailers = trailerFields(decode(controller.rawTrailers), this.#options.answerContext);
    } catch {
      this.#trailers = []; // the body is complete
    }
    this.#controller = undefined;
    this.#releaseConnection();
    this.#writer?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#phase === 'ended' || this.#phase === 'tunnel') return;
    this.#connection?.reset();
    this.#connection = undefined;
    const isRepeatable =
      this.#repeats < MAX_REPEATS &&
      mayRepeat(error, {
        method: this.#options.exchange.method,
        isSent: this.#isSent,
        hasAnswerBegun: this.#hasAnswerBegun,
        isReused: this.#isReused,
        hasBody: this.#options.body !== undefined,
        isBodyUnread: this.#body?.isUnread ?? true,
      });
    if (!isRepeatable) return this.#fail(error);
    this.#repeats += this.#isSent ? MAX_REPEATS : 1;
    this.#isSent = false;
    this.#acquire();
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, _headers: unknown, socket: Duplex): void {
    const { exchange } = this.#options;
    try {
      const fields = answerFields(decode(controller.rawHeaders), this.#options.answerContext);
      if (status !== 101 || !(exchange instanceof Http1Exchange) || this.#phase !== 'waiting')
        throw new OriginError('invalid_answer', 'an upgrade that was not asked for');
      this.#phase = 'tunnel';
      if (this.#connection !== undefined) this.#options.compiled.pool.giveAway(this.#connection);
      this.#becomeLong();
      exchange.recordResponse(101, 0);
      this.#tunnel = new Tunnel({
        exchange,
        application: socket,
        fields,
        onEnd: (isInOrder) => {
          if (isInOrder) this.#connection?.close();
          this.#end('answered', '');
        },
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  #acquire(): void {
    const { pool } = this.#options.compiled;
    const idle = pool.takeIdle();
    if (idle !== undefined) return this.#dispatch(idle);
    this.#phase = 'connecting';
    pool
      .acquire((cancel) => (this.#cancelWait = cancel))
      .then(
        (connection) => {
          if (this.#phase === 'ended') pool.release(connection);
          else this.#dispatch(connection);
        },
        (error: unknown) => this.#fail(error),
      )
      .catch((error: unknown) => this.#fail(error));
  }

  #dispatch(connection: OriginConnection): void {
    const { exchange, visitor, body, compiled, fields, answer } = this.#options;
    this.#connection = connection;
    this.#isReused = !connection.isUnused;
    this.#phase = 'waiting';
    this.#activeAtMs = performance.now();
    this.#body = body && new RequestBody(body.source);
    if (body !== undefined && visitor.expectsContinue && this.#repeats === 0) visitor.sendInterim(100, []);
    const isUpgrade = exchange instanceof Http1Exchange && exchange.upgradeHead !== undefined;
    connection.dispatch(
      {
        path: answer.target,
        method: exchange.method,
        headers: body?.length === undefined ? [...fields] : [...fields, 'content-length', String(body.length)],
        body: this.#body ?? null,
        // Constant for a connection: the client would open another one for another name.
        ...{ servername: compiled.serverName },
        ...(isUpgrade && { upgrade: 'websocket' }),
      },
      this,
    );
  }

  #passInterim(status: number, fields: Fields): void {
    this.#interim += 1;
    if (status === 101 || this.#interim > MAX_INTERIM)
      throw new OriginError('invalid_answer', `an interim answer ${status} that was not asked for`);
    if (status !== 103) return;
    try {
      this.#options.visitor.sendInterim(103, fields);
    } catch {
      // Node refuses links that are not written as RFC 8288 says; the answer itself follows.
    }
  }

  #begin(status: number, fields: Fields): void {
    const { exchange, visitor } = this.#options;
    if (status > 599) throw new OriginError('invalid_answer', `an answer with the status ${status}`);
    if (exchange.isClosed) return this.#end('left', '');
    const isLast = exchange.method === 'HEAD' || status === 204 || status === 304;
    this.#writer = new AnswerWriter({
      exchange,
      sink: {
        write: (bytes, onTaken) => {
          exchange.recordResponse(status, exchange.bytes + bytes.length);
          visitor.write(bytes, onTaken);
        },
      },
      onDrain: () => this.#controller?.resume(),
      onEnd: () => this.#complete(),
      onFailed: () => {
        exchange.abort();
        this.#end('left', '');
      },
    });
    this.#phase = 'answering';
    visitor.start(status, status === 204 ? withoutLength(fields) : fields, isLast);
    exchange.recordResponse(status, 0);
  }

  /** Everything that the application sent is written. */
  #complete(): void {
    const { visitor } = this.#options;
    visitor.end(this.#trailers);
    if (this.#body !== undefined && !this.#body.isComplete) visitor.dropBody();
    this.#end('answered', '');
  }

  #releaseConnection(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#options.compiled.pool.release(connection);
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

  #fail(error: unknown): void {
    if (this.#phase === 'ended') return;
    const { exchange } = this.#options;
    const failure = classifyError(error);
    if (exchange.isClosed) return this.#end('left', '');
    if (exchange.status !== 0) exchange.abort();
    else this.#sendPage(failure === 'bad_request' ? failure : pageOfFailure[failure.failure]);
    if (failure === 'bad_request') this.#end('refused', '');
    else this.#end(failure.failure, failure.message);
  }

  #sendPage(page: PageName): void {
    const { exchange, visitor, body } = this.#options;
    const isBodyLeft = body !== undefined && this.#body?.isComplete !== true;
    try {
      if (isBodyLeft && exchange.protocol !== 'http/2') exchange.endConnection();
      sendPage(page, exchange);
      if (isBodyLeft && exchange.protocol === 'http/2') visitor.dropBody();
    } catch {
      exchange.abort(); // the visitor has left
    }
  }

  #end(outcome: ForwardOutcome, detail: string): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    const { exchange, onEnd } = this.#options;
    exchange.connection.detach(this.#onReset);
    this.#cancelWait?.();
    if (outcome !== 'answered') this.#writer?.stop();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.reset();
    this.#body?.destroy();
    onEnd(this, outcome, detail);
  }
}

/** Reads fields as the HTTP client has them: bytes, each a character. */
function decode(raw: Dispatcher.DispatchController['rawHeaders']): Fields {
  if (!Array.isArray(raw)) return []; // an object is of HTTP/2
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}

/** RFC 9110 §8.6: there is none with 204. */
function withoutLength(fields: Fields): Fields {
  return fields.filter((_part, at) => fields[at - (at % 2)] !== 'content-length');
}
