/** What a visitor may cost. The times hold for slow clients as well as for those that send nothing. */

export const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * What of one address, or of one session, begins in a turn of the event loop. A handshake costs half a millisecond; streams
 * that are reset as soon as they are opened are gone by the next turn, and cost no answer.
 */
export const HANDSHAKES_A_TURN = 1;
export const STREAMS_A_TURN = 16;

/** Open connections of both listeners together. How many an address may have is a setting. */
const MOST_CONNECTIONS = 10_000;
/** What one takes that asks for nothing, over HTTP/2: 88 KiB were measured. */
const CONNECTION_BYTES = 128 * 1024;
/** What the program takes besides, so that a container of 512 MiB has places for 2 048 connections. */
const BASE_BYTES = 256 * 1024 * 1024;

/** @param memoryBytes what the process may take: of its container, or next to infinite */
export function maxConnections(memoryBytes: number): number {
  const affordable = Math.floor((memoryBytes - BASE_BYTES) / CONNECTION_BYTES);
  return Math.min(MOST_CONNECTIONS, Math.max(affordable, MOST_CONNECTIONS / 10));
}

/** A connection of HTTP/2 without a request under way, and one of HTTP/1 on which not a byte moves. */
export const IDLE_TIMEOUT_MS = 30_000;

/**
 * Requests of one connection that are answered at a time; others wait. Of HTTP/1.1 it is one, in the order in which they were
 * sent. Browsers ask for up to 100 at once over HTTP/2 and take what comes, so that nobody waits for long.
 */
export const mostAtATime = { 'http/1.0': 1, 'http/1.1': 1, 'http/2': 32 } as const;
/** More end the connection: of HTTP/2 it is more than may be open, and nobody sends as many of HTTP/1.1 at once. */
export const MOST_WAITING = 128;

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

/**
 * Reads from the storage that are under way at a time. None waits for a client (`slices.ts`), so each takes milliseconds. Of S3
 * each is a socket, of which the client has 1 000; of a folder a descriptor and a thread of four. Half of what one site may
 * have is for one address, and half of that for one connection.
 */
export const storageReads = { total: 128, perSite: 32, perAddress: 16, perConnection: 8 } as const;
/** Beyond that a request waits for so long, and is then answered 503 with Retry-After. */
export const STORAGE_WAIT_MS = 3_000;
/** … but for so long where its answer has begun and could only be broken off. */
export const STORAGE_WAIT_BEGUN_MS = 10_000;

/**
 * What is kept in memory of deployments, each in bytes. All of it can be had again from the storage. No deployment has more
 * than a quarter of any, and while it is full the largest one gives way: see fair-cache.ts.
 */
export const memoryBytes = {
  /** Files that are kept after they were read; larger ones are read for each request. */
  file: 256 * 1024,
  files: 64 * 1024 * 1024,
  compressed: 64 * 1024 * 1024,
  /** The first 16 KiB of larger ones. */
  starts: 16 * 1024 * 1024,
  /** Answers that can be given again as they are; what they hold of files is mostly the same memory. */
  replies: 64 * 1024 * 1024,
  /** Which files there are: the beginnings of indexes, up to 16 KiB each, and pages of the same size of large ones. */
  indexHeads: 32 * 1024 * 1024,
  indexPages: 32 * 1024 * 1024,
} as const;

/** How long a request waits for the storage to tell or to open a file. */
export const LOOK_UP_LIMIT_MS = 5_000;
