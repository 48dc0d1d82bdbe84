/** What a visitor may cost. The times hold for slow clients as well as for those that send nothing. */

export const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * What of one address, or of one session, begins in a turn of the event loop. A handshake costs half a millisecond; streams
 * that are reset as soon as they are opened are gone by the next turn, and cost no answer.
 */
export const HANDSHAKES_A_TURN = 1;
export const STREAMS_A_TURN = 16;

/** Open connections of both listeners together; more are closed at once. How many an address may have is a setting. */
export const MAX_CONNECTIONS = 10_000;

/** A connection on which nothing moves, such as a download that the client has stopped reading. */
export const IDLE_TIMEOUT_MS = 30_000;

const MAX_HEADER_BYTES = 16 * 1024;

/** HTTP/1.1, on both listeners. Nothing here reads a body, so that a request without one need not be a stream. */
export const http1Limits = {
  optimizeEmptyRequests: true,
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const;

/**
 * HTTP/2. Browsers cancel streams when their user leaves a page, all 100 at once at worst; who cancels more than that again
 * and again is in for something else (CVE-2023-44487). Headers in many small frames are limited by nghttp2.
 */
export const http2Limits = {
  streamResetBurst: 300,
  streamResetRate: 33,
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: MAX_HEADER_BYTES, enablePush: false },
} as const;

/**
 * Files that are compressed here, by their size: below, the headers cost more than it saves; above, a compressed copy
 * would crowd out the others, and one request would keep a processor busy for seconds.
 */
export const compressedBytes = { least: 1_024, most: 4 * 1024 * 1024 } as const;

/** What is kept in memory of deployments, each in bytes. All of it can be had again from the storage. */
export const memoryBytes = {
  /** Files that are kept after they were read; larger ones are read for each request. */
  file: 256 * 1024,
  files: 64 * 1024 * 1024,
  compressed: 64 * 1024 * 1024,
  /** Answers that can be given again as they are; what they hold of files is mostly the same memory. */
  replies: 64 * 1024 * 1024,
  /** The lists of files. */
  indexes: 64 * 1024 * 1024,
} as const;
