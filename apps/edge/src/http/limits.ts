/** Limits on what one visitor can use. The time limits hold for slow clients and for clients that send nothing. */

/**
 * Streams of one session that start per tick of the event loop. A stream that is reset right after it was opened is gone at
 * the next tick and gets no response.
 */
export const STREAMS_PER_TICK = 16;

/** For an HTTP/2 connection without a request in progress. */
export const IDLE_TIMEOUT_MS = 30_000;

/**
 * Requests of one connection that are answered at the same time; others wait. HTTP/1.1 answers one, in the order of arrival.
 * Browsers send up to 100 at once over HTTP/2 and read responses as they come, so none of them waits for long.
 */
export const maxConcurrentRequests = { 'http/1.0': 1, 'http/1.1': 1, 'http/2': 32 } as const;
/** More waiting requests end the connection: HTTP/2 does not allow as many, and no client sends as many over HTTP/1.1. */
export const MAX_WAITING_REQUESTS = 128;

const MAX_HEADER_BYTES = 16 * 1024;
/** The limit of an application's head (`origin-connection.ts`), with 12 bytes more for each field, as nghttp2 estimates it. */
const MAX_ANSWER_HEAD_BYTES = 80 * 1024;

/** For a complete request of the plain port. */
export const REQUEST_TIMEOUT_MS = 10_000;

/**
 * HTTP/1.1, on both listeners. Bodies that are forwarded have a limit of progress; after others the connection ends. A request
 * without one needs no stream. `ConnectionRegistry` ends
 * connections that send no further request, for which Node would set two timers for each request (8 % of a bare server's processor time).
 */
export const http1Limits = {
  optimizeEmptyRequests: true,
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  connectionsCheckingInterval: 1_000,
} as const;

/**
 * HTTP/2. A browser cancels its streams when the user leaves a page, at most 100 at once. A client that cancels more, again
 * and again, is an attack (CVE-2023-44487). nghttp2 limits headers that are split into many small frames.
 */
export const http2Limits = {
  streamResetBurst: 300,
  streamResetRate: 33,
  maxSendHeaderBlockLength: MAX_ANSWER_HEAD_BYTES,
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: MAX_HEADER_BYTES, enablePush: false },
} as const;

/**
 * Size limits of files that the edge compresses. Below the minimum, the headers cost more than compression saves. Above the
 * maximum, one request would use a processor for seconds, and the result would displace too much of the cache.
 */
export const compressedBytes = { least: 1_024, most: 4 * 1024 * 1024 } as const;

/**
 * Concurrent reads from the storage. No read waits for a client (`slices.ts`), so each takes milliseconds. With S3 each one
 * uses a socket, of which the client has 1 000; with a folder, a descriptor and one of four threads. One address may have
 * half of the reads of a site, and one connection half of those of an address.
 */
export const storageReads = { total: 128, perSite: 32, perAddress: 16, perConnection: 8 } as const;
/** How long a request waits for a read to start; then it gets 503 with Retry-After. */
export const STORAGE_WAIT_MS = 3_000;
/** The same for a response that has started, which could only be aborted. */
export const STORAGE_WAIT_STARTED_MS = 10_000;

/**
 * Size limits of the caches of deployments. Everything in them can be read from the storage again. A deployment has at most a
 * quarter of each cache; a full cache evicts from the largest one (fair-cache.ts).
 */
export const memoryBytes = {
  /** Larger files are read for each request. */
  file: 256 * 1024,
  files: 64 * 1024 * 1024,
  compressed: 64 * 1024 * 1024,
  /** The first 16 KiB of larger files. */
  starts: 16 * 1024 * 1024,
  /** Complete responses; they mostly share the memory of `files`. */
  responses: 64 * 1024 * 1024,
  /** The beginnings of site indexes, up to 16 KiB each, and pages of large ones, of the same size. */
  indexHeads: 32 * 1024 * 1024,
  indexPages: 32 * 1024 * 1024,
  /** Some ten thousand tokens of links. */
  linkTokens: 4 * 1024 * 1024,
} as const;

/** How long a request waits for the storage to find or open a file. */
export const STORAGE_TIMEOUT_MS = 5_000;
