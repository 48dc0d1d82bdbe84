import { createSecureServer } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { handleRequests } from './node-http-internals.js';

const server = () => createSecureServer({ allowHTTP1: true });
const handlers = {
  http1: () => undefined,
  http2: () => undefined,
  upgrade: () => undefined,
};

describe('the listener of Node for streams, which the edge replaces', () => {
  it('exists in this version of Node', () => {
    const supported = server();
    handleRequests(supported, handlers, () => false);
    expect(supported.listeners('stream')).toEqual([handlers.http2]);
  });

  it('stops the start with a clear message when Node handles streams in another way', () => {
    const changed = server().on('stream', () => undefined);
    expect(() => handleRequests(changed, handlers, () => false)).toThrow(
      /does not support Node v\S+: .* 2 listeners for "stream"/,
    );
  });
});
