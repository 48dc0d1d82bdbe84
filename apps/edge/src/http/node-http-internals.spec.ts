import { createSecureServer } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { handleRequests, takeOverHandshakes } from './node-http-internals.js';

const server = () => createSecureServer({ allowHTTP1: true });
const handlers = { http1: () => undefined, http2: () => undefined };

describe('the internals of Node that the edge replaces', () => {
  it('exist in this version of Node', () => {
    const supported = server();
    handleRequests(supported, handlers);
    takeOverHandshakes(supported);
    expect(supported.listeners('connection')).toEqual([]);
    expect(supported.listeners('stream')).toEqual([handlers.http2]);
  });

  it('stop the start with a clear message when Node starts handshakes in another way', () => {
    const changed = server().on('connection', () => undefined);
    expect(() => takeOverHandshakes(changed)).toThrow(/does not support Node v\S+: .* 2 listeners for "connection"/);
  });

  it('stop the start with a clear message when Node handles streams in another way', () => {
    const changed = server().on('stream', () => undefined);
    expect(() => handleRequests(changed, handlers)).toThrow(/does not support Node v\S+: .* 2 listeners for "stream"/);
  });
});
