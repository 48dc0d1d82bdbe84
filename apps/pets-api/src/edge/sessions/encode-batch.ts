import { EDGE_FEED_PROTOCOL, type EdgeFeedEntry } from '@pets/contracts';
import type { FeedPage, SessionHead } from './feed-pages.repository.js';

/** One `batch` message of a session, which begins with what depends on its reader. */
export interface EncodedPart {
  readonly after: number;
  /** The position of a reader after it. */
  readonly version: number;
  readonly bytes: Buffer;
  readonly prefixBytes: number;
}

/** A part of the changes after a version. Only the last one has the new version. */
export function encodePart({
  head,
  entries,
  after,
  isLast,
}: FeedPage & { readonly after: number; readonly isLast: boolean }): EncodedPart {
  return withRest({ after, version: isLast ? head.version : after }, encodeRest(head, entries));
}

/** Says that a reader has everything. */
export function emptyBatch(head: SessionHead): EncodedPart {
  return encodePart({ head, entries: [], after: head.version, isLast: true });
}

/** The same changes for a reader that has a part of them already. */
export function encodeFrom({ bytes, prefixBytes }: EncodedPart, after: number, version: number): EncodedPart {
  return withRest({ after, version }, bytes.subarray(prefixBytes));
}

function withRest({ after, version }: Pick<EncodedPart, 'after' | 'version'>, rest: Buffer): EncodedPart {
  const prefix = Buffer.from(`{"kind":"batch","after":${after},"version":${version},"protocol":${EDGE_FEED_PROTOCOL},`);
  return { after, version, bytes: Buffer.concat([prefix, rest]), prefixBytes: prefix.length };
}

function encodeRest(
  { epoch, thumbprint, platformCertificate }: SessionHead,
  entries: readonly EdgeFeedEntry[],
): Buffer {
  return Buffer.from(JSON.stringify({ epoch, thumbprint, platformCertificate, entries }).slice(1));
}
