import { performance } from 'node:perf_hooks'; // the global one is a getter, which is called at each use
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Http1Exchange } from '../http/http1-exchange.js';
import { AnswerWriter, type AnswerTarget } from './answer-writer.js';
import type { Fields } from './fields.js';
import { closeFrame, FrameBoundary } from './frame-boundary.js';

export interface TunnelOptions {
  /** The request for a WebSocket; its socket belongs to the tunnel. */
  readonly exchange: Http1Exchange;
  readonly application: Duplex;
  /** Fields of the answer 101. */
  readonly fields: Fields;
  /** Called once. @param isInOrder whether the sides have closed it, and not the edge */
  readonly onEnd: (isInOrder: boolean) => void;
}

/** "Try again later": IANA's registry of close codes. */
const TRY_AGAIN_LATER = 1013;
/** How long the visitor may answer a close frame. */
const CLOSE_LIMIT_MS = 1_000;

/** A WebSocket: bytes in both directions, each direction as fast as its receiver takes them. */
export class Tunnel implements AnswerTarget {
  activeAtMs = performance.now();
  readonly #options: TunnelOptions;
  readonly #visitor: Socket;
  readonly #writer: AnswerWriter;
  readonly #frames = new FrameBoundary();
  #hasEnded = false;
  #isClosing = false;

  constructor(options: TunnelOptions) {
    const { exchange, application } = options;
    this.#options = options;
    this.#visitor = exchange.request.socket;
    this.#writer = new AnswerWriter(exchange, this);
    this.#visitor.write(switchingProtocols(options.fields));
    const head = exchange.upgradeHead;
    if (head !== undefined && head.length > 0) application.write(head);
    exchange.upgradeHead = undefined; // it is a part of a larger buffer
    this.#followVisitor();
    this.#followApplication();
  }

  /** Ends both sides now: neither gets another byte. */
  end(): void {
    this.#finish(false);
  }

  visitorClosed(): void {
    this.#finish(this.#visitor.readableEnded);
  }

  /** Asks the visitor to come back later. In the middle of a frame nothing can be said. */
  evict(): void {
    if (this.#isClosing) return;
    if (!this.#frames.isBetweenFrames) return this.end();
    this.#isClosing = true;
    this.#options.application.pause();
    this.#writer.push(closeFrame(TRY_AGAIN_LATER));
    this.#writer.end();
    setTimeout(() => this.end(), CLOSE_LIMIT_MS).unref();
  }

  writeAnswer(bytes: Buffer, onTaken: (error?: Error | null) => void): void {
    const { exchange } = this.#options;
    exchange.recordResponse(101, exchange.bytes + bytes.length);
    this.#visitor.write(bytes, onTaken);
  }

  endAnswer(last: Buffer | undefined, onTaken: (error?: Error | null) => void): void {
    const { exchange } = this.#options;
    if (last === undefined) return void this.#visitor.end();
    exchange.recordResponse(101, exchange.bytes + last.length);
    this.#visitor.end(last, () => onTaken());
  }

  flushAnswer(): void {
    // The answer 101 is written.
  }

  onDrain(): void {
    this.#options.application.resume();
  }

  onBroken(): void {
    this.end();
  }

  #followVisitor(): void {
    const { application } = this.#options;
    this.#visitor.on('data', (chunk: Buffer) => {
      this.activeAtMs = performance.now();
      if (!application.write(chunk)) this.#visitor.pause();
    });
    application.on('drain', () => this.#visitor.resume());
    this.#visitor.on('end', () => {
      this.#options.exchange.hasEndedInOrder = true;
      application.end();
    });
    this.#visitor.resume();
  }

  #followApplication(): void {
    const { application } = this.#options;
    application.on('data', (chunk: Buffer) => {
      if (this.#isClosing) return;
      this.activeAtMs = performance.now();
      this.#frames.follow(chunk);
      if (!this.#writer.push(chunk)) application.pause();
    });
    application.on('end', () => {
      if (!this.#isClosing) this.#writer.end();
    });
    application.on('error', () => undefined); // `close` follows
    application.on('close', () => {
      if (!application.readableEnded) this.#finish(false);
    });
    application.resume();
  }

  #finish(isInOrder: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#writer.stop();
    this.#options.onEnd(isInOrder);
    if (!isInOrder) this.#options.exchange.connection.reset();
    this.#options.application.destroy();
  }
}

function switchingProtocols(fields: Fields): string {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'connection: Upgrade', 'upgrade: websocket'];
  for (let at = 0; at + 1 < fields.length; at += 2) lines.push(`${fields[at] ?? ''}: ${fields[at + 1] ?? ''}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
