import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { z } from 'zod';
import { AcmeNonces, AcmeServer } from './acme-server.js';

describe('a CA that accepts requests and never answers', () => {
  it('is not asked again for a while, so that it occupies no job', async () => {
    const asked: (string | undefined)[] = [];
    const silent = createServer(({ url }) => asked.push(url)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // The port of the address that it listens at.
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const ca = new AcmeServer(`${url}/directory`, 200);
    const ask = (path: string) => ca.get(url + path, z.object({}), new AbortController().signal);
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => ask('/first')));
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(ask('/later')).rejects.toThrow('does not answer');
    // A request on its way to the server would be before this one.
    get(`${url}/last`).on('error', () => undefined);
    await waitUntil(async () => asked.includes('/last'));
    expect(asked).not.toContain('/later');
    silent.closeAllConnections();
    silent.close();
  });
});

describe('AcmeNonces', () => {
  it('returns each nonce once, the newest first', () => {
    const nonces = new AcmeNonces();
    nonces.put('first');
    nonces.put('second');
    expect(nonces.take()).toBe('second');
    expect(nonces.take()).toBe('first');
    expect(nonces.take()).toBeUndefined();
  });

  it('drops nonces after two minutes', () => {
    let now = 0;
    const nonces = new AcmeNonces(() => now);
    nonces.put('old');
    now = 60_000;
    nonces.put('young');
    now = 120_000;
    expect(nonces.take()).toBe('young');
    expect(nonces.take()).toBeUndefined();
  });

  it('keeps at most a hundred', () => {
    const nonces = new AcmeNonces();
    for (let n = 1; n <= 150; n += 1) nonces.put(`n-${n}`);
    const taken: string[] = [];
    for (let nonce = nonces.take(); nonce !== undefined; nonce = nonces.take()) taken.push(nonce);
    expect(taken).toHaveLength(100);
    expect(taken.at(-1)).toBe('n-51');
  });

  it('is empty after clear', () => {
    const nonces = new AcmeNonces();
    nonces.put('n-1');
    nonces.clear();
    expect(nonces.take()).toBeUndefined();
  });
});
