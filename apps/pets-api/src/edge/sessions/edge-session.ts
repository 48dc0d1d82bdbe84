import { randomUUID } from 'node:crypto';
import { edgeSessionAckSchema, type EdgeSessionAck, type EdgeSessionMessage } from '@pets/contracts';
import type { RawData, WebSocket } from 'ws';
import type { EncodedPart } from './feed-pages.repository.js';

/** A session with more unsent bytes is ended: its edge is too slow, and reads the rest after it has reconnected. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

/** A session has to register its edge within this time. */
const FIRST_ACK_MS = 10_000;

/** Edges report every 5 s. */
const SILENCE_MS = 15_000;

/** Edges reconnect after 15 s without a message. */
const HEARTBEAT_MS = 5_000;

/** Far more than the changes that an edge applies in a second. */
const MAX_MESSAGES_PER_SECOND = 200;

/** An edge that reads nothing for this time is gone, whatever it sends. */
const STALL_MS = 30_000;

/** RFC 6455 §7.4.1, and below it our own of §7.4.2. */
export const closeCodes = {
  goingAway: 1001,
  policyViolation: 1008,
  tryAgainLater: 1013,
  replaced: 4000,
  snapshot: 4001,
} as const;

/** Time for the other side to answer a close. */
const CLOSE_LIMIT_MS = 1_000;

/** Position of an edge when it opened the session. */
export interface SessionPosition {
  readonly epoch: string | undefined;
  readonly version: number;
}

/** Called by a session. */
export interface SessionEvents {
  readonly acknowledged: (session: EdgeSession, ack: EdgeSessionAck) => void;
  readonly closed: (session: EdgeSession) => void;
  /** The hub sends nothing more. */
  readonly resync: (session: EdgeSession) => void;
}

/** The WebSocket of one edge: limits what it sends, and what it leaves unread. */
export class EdgeSession {
  readonly id = randomUUID();
  readonly #socket: WebSocket;
  readonly #events: SessionEvents;
  #epoch: string | undefined;
  #version: number;
  #newest: EdgeSessionAck | undefined;
  #receivedAtMs: number;
  #sentAtMs: number;
  /** When something unsent became sent, or the first of it unsent. */
  #progressAtMs: number;
  #second = { number: 0, messages: 0 };
  #isClosing = false;

  constructor(socket: WebSocket, position: SessionPosition, events: SessionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#epoch = position.epoch;
    this.#version = position.version;
    this.#receivedAtMs = this.#sentAtMs = this.#progressAtMs = performance.now();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('error', () => undefined); // `close` follows
    socket.once('close', () => {
      this.#isClosing = true;
      events.closed(this);
    });
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get epoch(): string | undefined {
    return this.#epoch;
  }

  get version(): number {
    return this.#version;
  }

  /** The newest acknowledgement; undefined before the first one. */
  get newest(): EdgeSessionAck | undefined {
    return this.#newest;
  }

  /** How far the clock of the edge was ahead at its newest acknowledgement; 0 before the first one. */
  get clockAheadMs(): number {
    if (this.#newest === undefined) return 0;
    const receivedAgoMs = performance.now() - this.#receivedAtMs;
    return this.#newest.sentAtMs - (Date.now() - receivedAgoMs);
  }

  /** Sends a part of a batch. */
  readonly deliver = (part: EncodedPart): void => {
    this.#version = part.version;
    this.#send(part.bytes);
  };

  readonly resync = (): void => this.#events.resync(this);

  /** The same. Resolves when it has left this process, or the session is closed. */
  deliverAndWait(part: EncodedPart): Promise<void> {
    this.#version = part.version;
    return new Promise((resolve) => this.#send(part.bytes, resolve));
  }

  send(message: EdgeSessionMessage): void {
    this.#send(JSON.stringify(message));
  }

  /** Ends the session in order: what was sent before still arrives, unless the edge does not read. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSE_LIMIT_MS).unref();
  }

  /** Enforces the time limits, and sends a heartbeat when it is due. */
  tick(now: number, heartbeat: string | undefined): void {
    if (this.#isClosing) return;
    const limitMs = this.#newest === undefined ? FIRST_ACK_MS : SILENCE_MS;
    if (now - this.#receivedAtMs > limitMs) return this.close(closeCodes.policyViolation, 'no acknowledgement in time');
    if (this.#socket.bufferedAmount > 0 && now - this.#progressAtMs > STALL_MS) return this.#terminate();
    if (heartbeat !== undefined && now - this.#sentAtMs > HEARTBEAT_MS) this.#send(heartbeat);
  }

  #send(message: Buffer | string, sent?: () => void): void {
    if (this.#isClosing) return void sent?.();
    const unsentBytes = this.#socket.bufferedAmount;
    if (unsentBytes > MAX_UNSENT_BYTES) {
      this.#terminate();
      return void sent?.();
    }
    this.#sentAtMs = performance.now();
    if (unsentBytes === 0) this.#progressAtMs = this.#sentAtMs;
    this.#socket.send(message, { binary: false }, () => {
      this.#progressAtMs = performance.now();
      sent?.();
    });
  }

  /** Ends the session at once: what is unsent would not arrive. */
  #terminate(): void {
    this.#isClosing = true;
    this.#socket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#isClosing) return;
    this.#receivedAtMs = performance.now();
    if (this.#isTooFast(this.#receivedAtMs)) return this.close(closeCodes.policyViolation, 'too many messages');
    const ack = isBinary || !Buffer.isBuffer(data) ? undefined : parseAck(data);
    if (ack === undefined) return this.close(closeCodes.policyViolation, 'a message is no acknowledgement');
    if (this.#newest !== undefined && this.#newest.edgeId !== ack.edgeId)
      return this.close(closeCodes.policyViolation, 'the edge id has changed');
    this.#newest = ack;
    this.#events.acknowledged(this, ack);
  }

  #isTooFast(now: number): boolean {
    const number = Math.floor(now / 1_000);
    if (number !== this.#second.number) this.#second = { number, messages: 0 };
    return ++this.#second.messages > MAX_MESSAGES_PER_SECOND;
  }
}

function parseAck(data: Buffer): EdgeSessionAck | undefined {
  try {
    const parsed = edgeSessionAckSchema.safeParse(JSON.parse(data.toString()));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // not JSON
  }
}
