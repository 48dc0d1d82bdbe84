import { performance } from 'node:perf_hooks'; // the global one is a getter, which is called at each use
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { answerFields, trailerFields, type AnswerContext } from './answer-fields.js';
import { classifyError, mayRepeat } from './classify-error.js';
import { valuesOf, type Fields } from './fields.js';
import type { OriginConnection } from './origin-connection.js';
import { OriginError } from './origin-error.js';
import type { CompiledOrigin } from './origins.js';
import { RequestBody } from './request-body.js';
import type { AnnouncedBody } from './visitor.js';

/** Receives what an application answers. Errors that its functions throw are reported to `onFailed`. */
export interface AnswerReceiver {
  /** Called when the request is sent for the first time, with its body to be read. */
  onSending(): void;
  /** Called with Early Hints (RFC 8297). */
  onHints(fields: Fields): void;
  onAnswer(status: number, fields: Fields): void;
  /** @returns false when the application has to wait for `resume` */
  onData(chunk: Buffer): boolean;
  onEnd(trailers: Fields): void;
  /** Called when the connection has become a WebSocket. @param fields of the answer 101 */
  onUpgrade(application: Duplex, fields: Fields): void;
  /** Called when there is no answer, or no complete one. */
  onFailed(failure: OriginError | 'bad_request'): void;
}

export interface OriginRequestOptions {
  readonly compiled: CompiledOrigin;
  readonly method: string;
  readonly target: string;
  /** Fields of the request, without those that say how its body is read. Not kept for a WebSocket. */
  fields: readonly string[];
  readonly body: AnnouncedBody | undefined;
  /** Whether it asks for a WebSocket. */
  readonly isUpgrade: boolean;
  readonly answerContext: AnswerContext;
}

/** More interim answers are no answer. */
const MAX_INTERIM = 16;
/** Connections that were closed before the request was sent, or before its answer began. */
const MAX_REPEATS = 2;

/**
 * A body of at most this size is not read piece by piece if all of it has come: a TLS record (RFC 8446 §5.1). Larger ones come in
 * several reads; to put them together takes a third more processor time than to pass on each (64 KB over HTTP/1.1).
 */
const SMALL_BODY_BYTES = 16 * 1024;

type Phase = 'connecting' | 'waiting' | 'answering' | 'answered' | 'upgraded' | 'ended';

/** The application's side of a forwarded request: takes a connection, sends the request, repeats it where that is safe. */
export class OriginRequest implements Dispatcher.DispatchHandler {
  readonly #options: OriginRequestOptions;
  readonly #receiver: AnswerReceiver;
  #phase: Phase = 'connecting';
  #connection: OriginConnection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: RequestBody | undefined;
  #wholeBody: Buffer | undefined;
  #repeats = 0;
  #interim = 0;
  #isReused = false;
  #isSent = false;
  #hasAnswerBegun = false;
  #activeAtMs = 0;
  /** Bytes of the answer's body that have still to come; undefined where it announces no length. */
  #bytesLeft: number | undefined;
  #cancelWait: (() => void) | undefined;

  constructor(options: OriginRequestOptions, receiver: AnswerReceiver) {
    this.#options = options;
    this.#receiver = receiver;
  }

  /** Whether the visitor has still to send a part of the body. */
  get isBodyLeft(): boolean {
    return this.#options.body !== undefined && this.#wholeBody === undefined && this.#body?.isComplete !== true;
  }

  isBodyStalled(nowMs: number): boolean {
    return this.#body?.progress.isStalled(nowMs) ?? false;
  }

  /** @returns an error if the application has been silent for too long */
  silence(nowMs: number): OriginError | undefined {
    const { answer, idle } = this.#options.compiled.origin.timeouts;
    const silentMs = nowMs - Math.max(this.#activeAtMs, this.#body?.receivedAtMs ?? 0);
    if (this.#phase === 'waiting' && this.#body?.progress.isWaiting !== true && silentMs > answer * 1_000)
      return new OriginError('timeout', `no answer within ${answer} s`);
    if (this.#phase === 'answering' && this.#controller?.paused !== true && silentMs > idle * 1_000)
      return new OriginError('timeout', `nothing was sent for ${idle} s`);
    return undefined;
  }

  /**
   * A small body usually comes with its head: of HTTP/1 it is there at the end of the tick, of HTTP/2 after everything that was
   * read with it. Then it is sent in one piece with the request, without a stream.
   */
  start(): void {
    const { body } = this.#options;
    if (body?.length === undefined || body.length > SMALL_BODY_BYTES) this.startNow();
    else process.nextTick(takeOrWait, this);
  }

  /** @returns whether all of the body was there */
  takeBody(): boolean {
    const { body } = this.#options;
    if (this.#phase === 'ended') return true;
    if (body === undefined || body.source.readableLength !== body.length) return false;
    this.#wholeBody = body.source.read() as Buffer; // no encoding is set
    body.source.resume(); // to its end
    this.startNow();
    return true;
  }

  /** Starts without a body, or with one that is sent as it comes. */
  startNow(): void {
    try {
      this.#acquire();
    } catch (error) {
      this.#fail(error);
    }
  }

  resume(): void {
    this.#activeAtMs = performance.now(); // nothing was read until now
    this.#controller?.resume();
  }

  /** Ends it. The connection is reset if it still carries the request or a WebSocket. */
  end(): void {
    this.#phase = 'ended';
    this.#cancelWait?.();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.reset();
    this.#body?.destroy();
  }

  /** Closes the connection of a WebSocket, whose sides have ended it. */
  close(): void {
    this.#connection?.close();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#isSent = true;
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
    if (this.#bytesLeft !== undefined) this.#bytesLeft -= chunk.length;
    const mustWait = !this.#receiver.onData(chunk);
    // After the last byte a pause would hold back the end: the client takes a connection that then closes for a broken answer.
    if (mustWait && this.#phase === 'answering' && this.#bytesLeft !== 0) controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#phase !== 'answering') return;
    let trailers = NO_FIELDS;
    try {
      const received = decode(controller.rawTrailers);
      if (received.length > 0) trailers = trailerFields(received, this.#options.answerContext);
    } catch {
      // the body is complete
    }
    this.#phase = 'answered';
    this.#controller = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#options.compiled.pool.release(connection);
    this.#receiver.onEnd(trailers);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#phase === 'ended' || this.#phase === 'answered' || this.#phase === 'upgraded') return;
    this.#connection?.reset();
    this.#connection = undefined;
    const { method, body } = this.#options;
    const isRepeatable =
      this.#repeats < MAX_REPEATS &&
      mayRepeat(error, {
        method,
        isSent: this.#isSent,
        hasAnswerBegun: this.#hasAnswerBegun,
        isReused: this.#isReused,
        hasBody: body !== undefined,
        isBodyUnread: this.#body?.isUnread ?? true,
      });
    if (!isRepeatable) return this.#fail(error);
    this.#repeats += this.#isSent ? MAX_REPEATS : 1;
    this.#isSent = false;
    this.#acquire();
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, _headers: unknown, socket: Duplex): void {
    try {
      const fields = answerFields(decode(controller.rawHeaders), this.#options.answerContext);
      if (status !== 101 || !this.#options.isUpgrade || this.#phase !== 'waiting')
        throw new OriginError('invalid_answer', 'an upgrade that was not asked for');
      this.#phase = 'upgraded';
      // What is kept for an idle WebSocket is kept a thousand times.
      this.#controller = undefined;
      this.#options.fields = NO_FIELDS;
      if (this.#connection !== undefined) this.#options.compiled.pool.giveAway(this.#connection);
      this.#receiver.onUpgrade(socket, fields);
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
    const { compiled, method, target, fields, body, isUpgrade } = this.#options;
    this.#connection = connection;
    this.#isReused = !connection.isUnused;
    this.#phase = 'waiting';
    this.#activeAtMs = performance.now();
    const whole = this.#wholeBody;
    if (whole === undefined && body !== undefined) this.#body = new RequestBody(body.source);
    // That of a body in one piece is set by the client.
    const length = whole === undefined ? body?.length : undefined;
    if (this.#repeats === 0) this.#receiver.onSending();
    connection.dispatch(
      {
        path: target,
        method,
        // The client only reads the list.
        headers: length === undefined ? (fields as string[]) : [...fields, 'content-length', String(length)],
        body: whole ?? this.#body ?? null,
        upgrade: isUpgrade ? 'websocket' : null,
        // Constant for a connection: the client would open another one for another name.
        servername: compiled.serverName,
      } as Dispatcher.DispatchOptions, // whose type has no `servername`
      this,
    );
  }

  #passInterim(status: number, fields: Fields): void {
    this.#interim += 1;
    if (status === 101 || this.#interim > MAX_INTERIM)
      throw new OriginError('invalid_answer', `an interim answer ${status} that was not asked for`);
    if (status === 103) this.#receiver.onHints(fields);
  }

  #begin(status: number, fields: Fields): void {
    if (status > 599) throw new OriginError('invalid_answer', `an answer with the status ${status}`);
    this.#phase = 'answering';
    const [length] = valuesOf(fields, 'content-length');
    this.#bytesLeft = length === undefined ? undefined : Number(length);
    this.#receiver.onAnswer(status, fields);
  }

  #fail(error: unknown): void {
    if (this.#phase !== 'ended') this.#receiver.onFailed(classifyError(error));
  }
}

// Functions for all requests: no closure for each.

function takeOrWait(request: OriginRequest): void {
  if (!request.takeBody()) setImmediate(takeOrStream, request);
}

function takeOrStream(request: OriginRequest): void {
  if (!request.takeBody()) request.startNow();
}

/** Reads fields as the HTTP client has them: bytes, each a character. */
function decode(raw: Dispatcher.DispatchController['rawHeaders']): Fields {
  if (!Array.isArray(raw) || raw.length === 0) return NO_FIELDS; // an object is of HTTP/2
  const fields: string[] = [];
  for (const part of raw) fields.push(typeof part === 'string' ? part : part.toString('latin1'));
  return fields;
}

const NO_FIELDS: Fields = [];
