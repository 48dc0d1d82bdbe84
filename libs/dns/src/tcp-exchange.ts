import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { errorCodeOf, failureText } from '@pets/domains';
import type { CheckDeadline } from './check-deadline.js';
import { isReplyTo, setId } from './dns-message.js';
import type { ServerAddress } from './server-address.js';
import type { Exchange } from './udp-sockets.js';

const LENGTH_BYTES = 2;

/** Sends one question over a new TCP connection, for replies that do not fit into a datagram (RFC 7766). Never rejects. */
export function exchangeOverTcp(
  { host, port }: ServerAddress,
  question: Buffer,
  limitMs: number,
  deadline: CheckDeadline,
): Promise<Exchange> {
  setId(question, randomInt(0x1_0000));
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    // Concatenated once, however many chunks the server sends.
    const chunks: Buffer[] = [];
    let size = 0;
    let length: number | null = null;
    const end = (exchange: Exchange) => {
      clearTimeout(timer);
      unsubscribe();
      socket.destroy();
      resolve(exchange);
    };
    const timer = setTimeout(() => end({ kind: 'timeout' }), limitMs);
    const unsubscribe = deadline.onEnd(() => end({ kind: 'failed', error: 'aborted' }));
    socket.on('error', (error) => end({ kind: 'failed', error: errorCodeOf(error) ?? failureText(error) }));
    socket.on('close', () => end({ kind: 'failed', error: 'the connection was closed' }));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < LENGTH_BYTES) return;
      length ??= Buffer.concat(chunks).readUInt16BE(0);
      if (size < LENGTH_BYTES + length) return;
      const bytes = Buffer.concat(chunks).subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      end(
        isReplyTo(bytes, question)
          ? { kind: 'reply', bytes }
          : { kind: 'failed', error: 'the reply does not match the question' },
      );
    });
    const prefix = Buffer.alloc(LENGTH_BYTES);
    prefix.writeUInt16BE(question.length);
    socket.write(Buffer.concat([prefix, question]));
  });
}
