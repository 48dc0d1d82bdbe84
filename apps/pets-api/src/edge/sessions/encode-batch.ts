import { SESSION_PROTOCOL, type FeedPage, type SessionHead } from './feed-pages.repository.js';

/** One `batch` message of a session. */
export interface EncodedPart {
  readonly bytes: Buffer;
  /** How many of the bytes depend on the position of the reader. */
  readonly prefixBytes: number;
  /** The position of a reader after it. */
  readonly version: number;
}

/** A part of the changes after a version. Only the last one has the new version. */
export function encodePart({
  head,
  entries,
  after,
  isLast,
}: FeedPage & { readonly after: number; readonly isLast: boolean }): EncodedPart {
  const version = isLast ? head.version : after;
  const prefix = prefixOf(after, version);
  const { epoch, thumbprint } = head;
  const rest = JSON.stringify({ epoch, protocol: SESSION_PROTOCOL, reset: false, thumbprint, entries });
  return { bytes: Buffer.from(prefix + rest.slice(1)), prefixBytes: prefix.length, version };
}

/** Says that a reader has everything. */
export function emptyBatch(head: SessionHead): EncodedPart {
  return encodePart({ head, entries: [], after: head.version, isLast: true });
}

/** The same changes for a reader that has a part of them already. */
export function encodeFrom(part: EncodedPart, after: number, version: number): EncodedPart {
  const prefix = Buffer.from(prefixOf(after, version));
  const bytes = Buffer.concat([prefix, part.bytes.subarray(part.prefixBytes)]);
  return { bytes, prefixBytes: prefix.length, version };
}

function prefixOf(after: number, version: number): string {
  return `{"kind":"batch","after":${after},"version":${version},`;
}
