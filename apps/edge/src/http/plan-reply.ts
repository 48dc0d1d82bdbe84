import { createHash } from 'node:crypto';
import type { ByteSpan } from '@pets/platform';
import type { Freshness, SiteIndex } from '@pets/sites';
import { SLICE_BYTES } from '../sending/minimum-rate.js';
import { chooseRepresentation, siblingsOf, type Representation } from './choose-representation.js';
import type { PageName } from './page-texts.js';

/**
 * Decides how to answer a request for a file of a deployment: which file, in which coding, whether the preconditions hold,
 * and which range. Pure; `respond.ts` reads the bytes.
 */

type Headers = Readonly<Record<string, string>>;

/** The answer without the bytes themselves. */
export type ReplyPlan =
  | { readonly kind: 'page'; readonly page: PageName; readonly headers: Headers }
  | { readonly kind: 'not_modified'; readonly headers: Headers }
  | {
      readonly kind: 'content';
      readonly status: 200 | 206 | 404;
      readonly headers: Headers;
      readonly representation: Representation;
      /** Undefined for the complete file. */
      readonly span: ByteSpan | undefined;
    };

/** The supported headers. HEAD is a GET whose body is not sent, but it has no ranges (RFC 9110 §14.2). */
export interface ReplyRequest {
  readonly method: string;
  readonly acceptEncoding: string | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifRange: string | undefined;
  readonly range: string | undefined;
}

/** Part of each entity tag, so that a change of how the edge compresses changes the tags. */
const COMPRESSION_VERSION = '1';

/** The file to send, as `chooseFile` chose it. */
export interface ReplyFile {
  readonly path: string;
  readonly status: 200 | 404;
  /** The fields that the site sets for this path; names in lower case. */
  readonly headers: Headers;
}

/** The paths that a plan needs. */
export function pathsOfReply(path: string): readonly string[] {
  return [path, ...siblingsOf(path)];
}

/**
 * Deployments do not store modification times, so preconditions compare entity tags only, not dates. Every site may read the
 * files, as `curl` may: they are public, and no credential changes them.
 * @param index contains `pathsOfReply`
 */
export function planReply(
  index: SiteIndex,
  { path, status, headers: ofSite }: ReplyFile,
  request: ReplyRequest,
): ReplyPlan {
  const file = index.get(path);
  if (file === undefined) return page('not_found');
  const range = status === 200 && request.method === 'GET' ? request.range : undefined;
  const client = { acceptEncoding: request.acceptEncoding, wantsRange: range !== undefined };
  const chosen = chooseRepresentation(index, path, client);
  if (chosen === undefined) return page('not_acceptable', { vary: 'accept-encoding' });

  const { 'content-type': contentType = chosen.contentType } = ofSite;
  const representation = { ...chosen, contentType };
  const headers = {
    'cache-control': cacheControls[file.freshness],
    'access-control-allow-origin': '*',
    ...ofSite,
    'x-content-type-options': 'nosniff',
    ...(representation.dependsOnClient && { vary: 'accept-encoding' }),
  };
  if (status === 200) return planFound(representation, headers, { ...request, range });
  const contentHeaders = { ...headers, ...describe(representation) };
  return { kind: 'content', status, headers: contentHeaders, representation, span: undefined };
}

/** Evaluates preconditions in the order of RFC 9110 §13.2.2, then the range. */
function planFound(representation: Representation, headers: Headers, request: ReplyRequest): ReplyPlan {
  const etag = tagOf(representation);
  const { ifMatch, ifNoneMatch, ifRange } = request;
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag)) return page('precondition_failed');
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag))
    return { kind: 'not_modified', headers: { ...headers, etag } };

  const contentHeaders = { ...headers, ...describe(representation), etag };
  if (representation.coding !== 'identity')
    return { kind: 'content', status: 200, headers: contentHeaders, representation, span: undefined };
  const { bytes } = representation.stored;
  const rangeHeaders = { ...contentHeaders, 'accept-ranges': 'bytes' };
  // §13.1.5: one tag, compared strongly; a date never matches here.
  const isRangeValid = ifRange === undefined || ifRange.trim() === etag;
  const verdict = evaluateRange(isRangeValid ? request.range : undefined, bytes);
  switch (verdict.kind) {
    case 'complete':
      return { kind: 'content', status: 200, headers: rangeHeaders, representation, span: undefined };
    case 'unsatisfiable':
      return page('range_not_satisfiable', { 'content-range': `bytes */${bytes}` });
    case 'part': {
      const { span } = verdict;
      const partHeaders = { ...rangeHeaders, 'content-range': `bytes ${span.first}-${span.last}/${bytes}` };
      return { kind: 'content', status: 206, headers: partHeaders, representation, span };
    }
  }
}

function describe({ contentType, coding }: Representation): Headers {
  return { 'content-type': contentType, ...(coding !== 'identity' && { 'content-encoding': coding }) };
}

function page(name: PageName, headers: Headers = {}): ReplyPlan {
  return { kind: 'page', page: name, headers };
}

/** A strong tag (RFC 9110 §8.8.3) for each representation: of the file's bytes, and of each way of compressing them. */
function tagOf({ stored, contentType, coding, isCompressedHere }: Representation): string {
  const parts = [stored.sha256, contentType, coding, isCompressedHere ? COMPRESSION_VERSION : ''];
  return `"${createHash('sha256').update(parts.join('\n')).digest('base64url')}"`;
}

/** Weak comparison with each tag of a list, or `*` (RFC 9110 §13.1.2). */
export function matchesWeakly(list: string, tag: string): boolean {
  return list.trim() === '*' || tagsIn(list).some((listed) => listed.replace(/^W\//, '') === tag);
}

/** Strong comparison with each tag of a list, or `*` (RFC 9110 §13.1.1). */
export function matchesStrongly(list: string, tag: string): boolean {
  return list.trim() === '*' || tagsIn(list).includes(tag);
}

/** A tag may contain commas, so the list is not split at them. Text that is not a tag matches nothing. */
function tagsIn(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
}

export type RangeVerdict =
  | { readonly kind: 'complete' }
  | { readonly kind: 'part'; readonly span: ByteSpan }
  | { readonly kind: 'unsatisfiable' };

const complete: RangeVerdict = { kind: 'complete' };

/**
 * Evaluates Range (RFC 9110 §14.2) for content of a given size. Supports one range of bytes. Several ranges, other units
 * and malformed values get the complete content, as the RFC allows; so does a suffix range of empty content.
 */
export function evaluateRange(header: string | undefined, bytes: number): RangeVerdict {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return complete;
  if (from === '') return evaluateSuffixRange(Number(to), bytes);
  const first = Number(from);
  const last = to === '' ? Infinity : Number(to);
  if (last < first) return complete;
  if (first >= bytes) return { kind: 'unsatisfiable' };
  return { kind: 'part', span: { first, last: Math.min(last, bytes - 1) } };
}

/** `-500`: the last 500 bytes, or all when there are fewer. */
function evaluateSuffixRange(length: number, bytes: number): RangeVerdict {
  if (length === 0) return { kind: 'unsatisfiable' };
  if (bytes === 0) return complete;
  return { kind: 'part', span: { first: Math.max(bytes - length, 0), last: bytes - 1 } };
}

const cacheControls = {
  revalidated: 'public, max-age=0, must-revalidate',
  day: 'public, max-age=86400',
  year: 'public, max-age=31536000, immutable',
} as const satisfies Record<Freshness, string>;

/** Source of the slices of a response. */
export interface SliceSource {
  /** Memory held for this response only, besides the slice that was returned last. */
  readonly heldBytes: number;
  /** @returns at most `maxBytes`; undefined at the end. @throws Error when the rest cannot be read */
  next(maxBytes: number): Promise<Buffer | undefined>;
}

/** A body that other responses share. */
export class BodySlices implements SliceSource {
  readonly #body: Buffer;
  readonly heldBytes = 0;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  next(maxBytes: number): Promise<Buffer | undefined> {
    const from = this.#at;
    this.#at = Math.min(from + maxBytes, this.#body.length);
    return Promise.resolve(from === this.#at ? undefined : this.#body.subarray(from, this.#at));
  }
}

/** The maximum size of a read. */
const MAX_PIECE_BYTES = 256 * 1024;
/** A client that takes a piece faster gets larger ones, because each costs a storage request; a slow one holds little memory. */
const FAST_MS = 250;

/** The size of the next read, after the client has taken all of a piece. */
export function nextPieceBytes(bytes: number, tookMs: number, isMemoryTight: boolean): number {
  if (isMemoryTight || tookMs > FAST_MS) return SLICE_BYTES;
  return Math.min(2 * bytes, MAX_PIECE_BYTES);
}

export interface FileSource {
  readonly from: number;
  readonly bytes: number;
  /** In chunks as the storage returns them: joining them would copy every byte. */
  readonly read: (from: number, bytes: number) => Promise<readonly Buffer[]>;
  readonly isMemoryTight: () => boolean;
}

/**
 * A file that is not in memory. Reads it in pieces, each when the client has taken the one before, and holds no descriptor or
 * socket of the storage between them.
 */
export class FileSlices implements SliceSource {
  readonly #source: FileSource;
  readonly #end: number;
  #readTo: number;
  #chunks: Buffer[];
  #pieceBytes: number;
  #heldBytes: number;
  #readAtMs = performance.now();

  /** @param first the first slice, already read */
  constructor(first: Buffer, source: FileSource) {
    this.#source = source;
    this.#chunks = [first];
    this.#pieceBytes = first.length;
    this.#heldBytes = first.length;
    this.#readTo = source.from + first.length;
    this.#end = source.from + source.bytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  async next(maxBytes: number): Promise<Buffer | undefined> {
    if (this.#chunks.length === 0 && this.#readTo < this.#end) await this.#readPiece();
    const [chunk] = this.#chunks;
    if (chunk === undefined) return undefined;
    const slice = chunk.subarray(0, maxBytes);
    if (slice.length === chunk.length) this.#chunks.shift();
    else this.#chunks[0] = chunk.subarray(maxBytes);
    this.#heldBytes -= slice.length;
    return slice;
  }

  async #readPiece(): Promise<void> {
    const tookMs = performance.now() - this.#readAtMs;
    const wanted = nextPieceBytes(this.#pieceBytes, tookMs, this.#source.isMemoryTight());
    const bytes = Math.min(wanted, this.#end - this.#readTo);
    this.#chunks = [...(await this.#source.read(this.#readTo, bytes))];
    this.#readTo += bytes;
    this.#pieceBytes = bytes;
    this.#heldBytes = bytes;
    this.#readAtMs = performance.now();
  }
}
