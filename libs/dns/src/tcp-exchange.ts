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
    let received = Buffer.alloc(0);
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
      received = Buffer.concat([received, chunk]);
      if (received.length < LENGTH_BYTES) return;
      const length = received.readUInt16BE(0);
      if (received.length < LENGTH_BYTES + length) return;
      const bytes = received.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      end(isReplyTo(bytes, question) ? { kind: 'reply', bytes } : { kind: 'failed', error: 'answered something else' });
    });
    const prefix = Buffer.alloc(LENGTH_BYTES);
    prefix.writeUInt16BE(question.length);
    socket.write(Buffer.concat([prefix, question]));
  });
}
