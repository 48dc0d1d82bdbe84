import { connect } from 'node:net';
import { errorCodeOf, failureText } from '@pets/domains';
import type { CheckDeadline } from './check-deadline.js';
import type { ServerAddress } from './server-address.js';
import type { Exchange } from './udp-sockets.js';

const LENGTH_BYTES = 2;

/**
 * Sends one message over a new TCP connection (RFC 7766) and returns the first message of the server, which has at most
 * 64 KiB. The caller checks that it is the reply. It never rejects.
 */
export function exchangeOverTcp(
  { host, port }: ServerAddress,
  message: Buffer,
  limitMs: number,
  deadline: CheckDeadline,
): Promise<Exchange> {
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
      end({ kind: 'reply', bytes });
    });
    const prefix = Buffer.alloc(LENGTH_BYTES);
    prefix.writeUInt16BE(message.length);
    socket.write(Buffer.concat([prefix, message]));
  });
}
