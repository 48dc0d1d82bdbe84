import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { parseSendQueues, readSendQueues, sendQueueKey } from './tcp-send-queues.js';

const from = (remoteAddress: string) => ({ localPort: 8443, remoteAddress, remotePort: 40_000 }) as Socket; // what is read of it

describe('sendQueueKey', () => {
  it.each([
    ['127.0.0.1', '20FB 0100007F:9C40'],
    ['203.0.113.7', '20FB 077100CB:9C40'],
    ['::1', '20FB 00000000000000000000000001000000:9C40'],
    ['::ffff:127.0.0.1', '20FB 0000000000000000FFFF00000100007F:9C40'],
    ['2001:db8::17', '20FB B80D0120000000000000000017000000:9C40'],
    ['fe80::1%eth0', '20FB 000080FE000000000000000001000000:9C40'],
  ])('of %s', (address, key) => expect(sendQueueKey(from(address))).toBe(key));
});

it('reads lines of both kinds, and takes no others for them', () => {
  const [key, key6] = ['20FB 0100007F:9C40', '20FB 00000000000000000000000001000000:9C40'];
  const text = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:20FB 00000000:0000 0A 00000000:00000000 00:00000000 00000000   107        0 9923 1 0 100 0 0 10 0',
    '12345: 0100007F:20FB 0100007F:9C40 01 0001F4A0:00000007 01:00000014 00000000   107        0 9924 1 0 100 0 0 10 0',
    '   2: 00000000000000000000000001000000:20FB 00000000000000000000000001000000:9C40 01 00000010:00000000 00:0 0 0 0 1',
    '',
  ].join('\n');
  const found = new Map<string, number>();
  parseSendQueues(text, new Set([key, key6]), found);
  expect([...found]).toEqual([
    [key, 0x1f4a0],
    [key6, 0x10],
  ]);
});

it.each(['127.0.0.1', '::1'])('sees what a client at %s has not read', async (host) => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, host); // a TCP server's address is never a path
  const [socket] = (await once(server, 'connection')) as [Socket];
  try {
    client.pause();
    socket.write(Buffer.alloc(16 * 1024 * 1024));
    const key = sendQueueKey(socket) ?? '';
    await waitUntil(async () => ((await readSendQueues(new Set([key]))).get(key) ?? 0) > 100_000, {
      message: 'the kernel has something to send',
    });
  } finally {
    client.destroy();
    socket.destroy();
    server.close();
  }
});
