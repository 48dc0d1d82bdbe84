/** What a visitor may cost. The times hold for slow clients as well as for those that send nothing. */

export const HANDSHAKE_TIMEOUT_MS = 5_000;

/** Open connections of each listener; more are closed at once. */
export const MAX_CONNECTIONS = 10_000;

/** A connection on which nothing moves, such as a download that the client has stopped reading. */
export const IDLE_TIMEOUT_MS = 30_000;

const MAX_HEADER_BYTES = 16 * 1024;

/** HTTP/1.1, on both listeners. */
export const http1Limits = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const;

export const http2Limits = {
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: MAX_HEADER_BYTES, enablePush: false },
} as const;
