import {
  edgeFeedProtocols,
  NAMED_THUMBPRINTS_PROTOCOL,
  needsWildcardProtocol,
  WILDCARD_PROTOCOL,
  type EdgeFeedEntry,
} from '@pets/contracts';
import type { FeedPage, SessionHead } from './feed-pages.repository.js';

/** One `batch` message of a session, which begins with what depends on its reader. */
export interface EncodedPart {
  readonly after: number;
  /** The position of a reader after it. */
  readonly version: number;
  /** The message for a reader of the newest protocol. */
  readonly bytes: Buffer;
  readonly prefixBytes: number;
  /** What follows the prefix for readers before wildcards; undefined where it is the same. */
  readonly restBeforeWildcards: Buffer | undefined;
}

/** A part of the changes after a version. Only the last one has the new version. */
export function encodePart({
  head,
  entries,
  after,
  isLast,
}: FeedPage & { readonly after: number; readonly isLast: boolean }): EncodedPart {
  const isSame = !entries.some(({ host, route }) => needsWildcardProtocol(host, route));
  const restBeforeWildcards = isSame ? undefined : encodeRest(head, entries.map(entryBeforeWildcards));
  const part = { after, version: isLast ? head.version : after, restBeforeWildcards };
  return withRest(part, encodeRest(head, entries));
}

/** Says that a reader has everything. */
export function emptyBatch(head: SessionHead): EncodedPart {
  return encodePart({ head, entries: [], after: head.version, isLast: true });
}

/** The same changes for a reader that has a part of them already. */
export function encodeFrom(part: EncodedPart, after: number, version: number): EncodedPart {
  return withRest({ ...part, after, version }, part.bytes.subarray(part.prefixBytes));
}

/** The message for a reader of some protocol. */
export function bytesFor(part: EncodedPart, protocol: number): Buffer {
  if (protocol >= WILDCARD_PROTOCOL) return part.bytes;
  const { restBeforeWildcards = part.bytes.subarray(part.prefixBytes) } = part;
  return Buffer.concat([prefixOf(part, NAMED_THUMBPRINTS_PROTOCOL), restBeforeWildcards]);
}

/** The hosts that readers before wildcards do not know are removed to them. */
function entryBeforeWildcards(entry: EdgeFeedEntry): EdgeFeedEntry {
  return needsWildcardProtocol(entry.host, entry.route) ? { ...entry, route: null } : entry;
}

function withRest(part: Omit<EncodedPart, 'bytes' | 'prefixBytes'>, rest: Buffer): EncodedPart {
  const prefix = prefixOf(part, edgeFeedProtocols.newest);
  return { ...part, bytes: Buffer.concat([prefix, rest]), prefixBytes: prefix.length };
}

function prefixOf({ after, version }: Pick<EncodedPart, 'after' | 'version'>, protocol: number): Buffer {
  return Buffer.from(`{"kind":"batch","after":${after},"version":${version},"protocol":${protocol},`);
}

function encodeRest(
  { epoch, thumbprint, platformCertificate }: SessionHead,
  entries: readonly EdgeFeedEntry[],
): Buffer {
  return Buffer.from(JSON.stringify({ epoch, reset: false, thumbprint, platformCertificate, entries }).slice(1));
}
