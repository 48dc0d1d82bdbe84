import { createSecureServer } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { takeOverHandshakes } from './throttle-handshakes.js';

const server = () => createSecureServer({ allowHTTP1: true });

describe('the listener of Node for handshakes, which the edge replaces', () => {
  it('exists in this version of Node', () => {
    const supported = server();
    takeOverHandshakes(supported);
    expect(supported.listeners('connection')).toEqual([]);
  });

  it('stops the start with a clear message when Node starts handshakes in another way', () => {
    const changed = server().on('connection', () => undefined);
    expect(() => takeOverHandshakes(changed)).toThrow(/does not support Node v\S+: .* 2 listeners for "connection"/);
  });
});
