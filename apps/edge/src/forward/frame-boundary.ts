/** Bytes of the head of a frame without its extended length and its mask (RFC 6455 §5.2). */
const SHORT_HEAD = 2;
const LONGEST_HEAD = 14;

/** Follows the frames of a WebSocket, to find where another frame may be put in. It reads heads only. */
export class FrameBoundary {
  /** Undefined before the first frame: many WebSockets are idle. */
  #head: Buffer | undefined;
  #headBytes = 0;
  #payloadLeft = 0;

  /** Whether everything that was followed so far ends with a complete frame. */
  get isBetweenFrames(): boolean {
    return this.#headBytes === 0 && this.#payloadLeft === 0;
  }

  follow(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#payloadLeft > 0) {
        const bytes = Math.min(this.#payloadLeft, chunk.length - at);
        this.#payloadLeft -= bytes;
        at += bytes;
      } else {
        const head = (this.#head ??= Buffer.alloc(LONGEST_HEAD));
        head[this.#headBytes] = chunk[at] ?? 0;
        this.#headBytes += 1;
        at += 1;
        if (this.#headBytes >= SHORT_HEAD && this.#headBytes === headLength(head)) {
          this.#payloadLeft = payloadLength(head);
          this.#headBytes = 0;
        }
      }
    }
  }
}

function headLength(head: Buffer): number {
  const second = head.readUInt8(1);
  const length = second & 0x7f;
  const extended = length === 126 ? 2 : length === 127 ? 8 : 0;
  return SHORT_HEAD + extended + ((second & 0x80) === 0 ? 0 : 4);
}

function payloadLength(head: Buffer): number {
  const length = head.readUInt8(1) & 0x7f;
  if (length === 126) return head.readUInt16BE(2);
  return length === 127 ? Number(head.readBigUInt64BE(2)) : length;
}

/** A frame that closes a WebSocket with a code (RFC 6455 §5.5.1), as a server sends it. */
export function closeFrame(code: number): Buffer {
  return Buffer.from([0x88, 0x02, code >> 8, code & 0xff]);
}
