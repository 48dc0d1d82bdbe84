import { Readable } from 'node:stream';
import { HEARTBEAT } from './event-messages.js';

/** What a reader that takes nothing may have waiting; what its socket holds comes on top. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** Whoever can wait for the reader does so beyond this. */
const ENOUGH_UNSENT_BYTES = 64 * 1024;
/** A reader with something waiting has to take some of it in this time. */
const MAX_STALL_MS = 30_000;
/** Proxies take a connection for dead after 30 s or more. */
const HEARTBEAT_MS = 15_000;

/** By what right a stream is open: it ends with any of these. */
export interface StreamRights {
  readonly apiKeyId: string;
  readonly sessionId: string | null;
  readonly organizationId: string;
  readonly projectId: string;
}

/**
 * One open stream. Events are handed to it and never waited for: a reader that does not keep up is dropped, and comes
 * back with the id of the last event it has seen.
 */
export class EventStream {
  readonly readable: Readable;
  private writtenBytes = 0;
  private takenBytes = 0;
  private takenAtMs: number;
  private wroteAtMs: number;
  private onTaken: (() => void) | null = null;
  private hasEnded = false;

  /**
   * @param last the number of the last line of history it was told, or that its reader knows
   * @param nowMs monotonic
   */
  constructor(
    readonly rights: StreamRights,
    private last: bigint,
    nowMs: number,
  ) {
    this.takenAtMs = this.wroteAtMs = nowMs;
    this.readable = new Readable({ read: () => this.resume() });
    this.readable.once('close', () => this.resume());
  }

  get lastNumber(): bigint {
    return this.last;
  }

  get isOver(): boolean {
    return this.hasEnded || this.readable.destroyed;
  }

  /** Tells a line of the history, unless it was told. */
  tell(number: bigint, message: Buffer, nowMs: number): void {
    if (number <= this.last) return;
    this.last = number;
    this.write(message, nowMs);
  }

  write(message: Buffer, nowMs: number): void {
    if (this.isOver) return;
    if (this.readable.readableLength + message.length > MAX_UNSENT_BYTES) return this.drop();
    this.writtenBytes += message.length;
    this.wroteAtMs = nowMs;
    this.readable.push(message);
  }

  /** Shows that the stream is alive, if nothing else has for a while, and drops it when its reader is not. */
  beat(nowMs: number): void {
    const taken = this.writtenBytes - this.readable.readableLength;
    if (taken !== this.takenBytes || this.readable.readableLength === 0) this.takenAtMs = nowMs;
    this.takenBytes = taken;
    if (nowMs - this.takenAtMs >= MAX_STALL_MS) this.drop();
    else if (nowMs - this.wroteAtMs >= HEARTBEAT_MS) this.write(heartbeat, nowMs);
  }

  /** Resolves when the reader has little left to take, or is gone. `beat` limits how long that may be. */
  async whenAlmostTaken(): Promise<void> {
    while (!this.isOver && this.readable.readableLength > ENOUGH_UNSENT_BYTES)
      await new Promise<void>((resolve) => (this.onTaken = resolve));
  }

  /** After what was written comes the end. */
  end(): void {
    if (this.isOver) return;
    this.hasEnded = true;
    this.readable.push(null);
  }

  /** The connection breaks, and what was not sent is forgotten. */
  drop(): void {
    this.readable.destroy();
  }

  private resume(): void {
    this.onTaken?.();
    this.onTaken = null;
  }
}

const heartbeat = Buffer.from(HEARTBEAT);
