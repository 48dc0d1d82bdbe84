import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { codeOf, failureText } from '@pets/domains';
import type { CheckTime } from './check-time.js';
import { isReplyTo, setId } from './dns-message.js';
import type { ServerAddress } from './server-address.js';
import type { Exchange } from './udp-sockets.js';

const LENGTH_BYTES = 2;

/** One question over a connection of its own: where a reply does not fit into a datagram (RFC 7766). */
export function exchangeOverTcp(
  { host, port }: ServerAddress,
  question: Buffer,
  limitMs: number,
  time: CheckTime,
): Promise<Exchange> {
  setId(question, randomInt(0x1_0000));
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    // Put together once, however many pieces a server sends it in.
    const chunks: Buffer[] = [];
    let size = 0;
    let length: number | null = null;
    const end = (exchange: Exchange) => {
      clearTimeout(timer);
      takeBack();
      socket.destroy();
      resolve(exchange);
    };
    const timer = setTimeout(() => end({ kind: 'timeout' }), limitMs);
    const takeBack = time.onEnd(() => end({ kind: 'failed', error: 'given up' }));
    socket.on('error', (error) => end({ kind: 'failed', error: codeOf(error) ?? failureText(error) }));
    socket.on('close', () => end({ kind: 'failed', error: 'the connection was closed' }));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < LENGTH_BYTES) return;
      length ??= Buffer.concat(chunks).readUInt16BE(0);
      if (size < LENGTH_BYTES + length) return;
      const bytes = Buffer.concat(chunks).subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      end(isReplyTo(bytes, question) ? { kind: 'reply', bytes } : { kind: 'failed', error: 'answered something else' });
    });
    const prefix = Buffer.alloc(LENGTH_BYTES);
    prefix.writeUInt16BE(question.length);
    socket.write(Buffer.concat([prefix, question]));
  });
}
