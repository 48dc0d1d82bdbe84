import type { ByteSpan, SiteIndex } from '@pets/platform';
import { evaluateRange } from './byte-range.js';
import { cacheControlOf } from './cache-policy.js';
import { chooseRepresentation, siblingsOf, type Representation } from './choose-representation.js';
import { entityTag, matchesStrongly, matchesWeakly } from './entity-tag.js';
import type { PageName } from './pages.js';

type Headers = Readonly<Record<string, string>>;

/** What a request for a file of a deployment is answered, but for the bytes themselves. */
export type ReplyPlan =
  | { readonly kind: 'page'; readonly page: PageName; readonly headers: Headers }
  | { readonly kind: 'not_modified'; readonly headers: Headers }
  | {
      readonly kind: 'content';
      readonly status: 200 | 206 | 404;
      readonly headers: Headers;
      readonly representation: Representation;
      /** Undefined: all of it. */
      readonly span: ByteSpan | undefined;
    };

/** The headers that are heard; HEAD is a GET whose body is not sent, but it knows no ranges (RFC 9110 §14.2). */
export interface ReplyRequest {
  readonly method: string;
  readonly acceptEncoding: string | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifRange: string | undefined;
  readonly range: string | undefined;
}

const NOT_FOUND_PAGE = '404.html';

/** Part of each tag, so that another way of compressing gives other tags. */
const COMPRESSION_VERSION = '1';

/**
 * What a plan needs to know of besides the candidates.
 * @param index knows the candidates
 */
export function pathsOfReply(index: SiteIndex, candidates: readonly string[]): readonly string[] {
  const path = candidates.find((candidate) => index.has(candidate)) ?? NOT_FOUND_PAGE;
  return [path, ...siblingsOf(path)];
}

/**
 * Decides from what is deployed. Nothing says when a file was changed, so only tags are compared, not dates.
 * @param index knows the candidates, and `pathsOfReply`
 */
export function planReply(index: SiteIndex, candidates: readonly string[], request: ReplyRequest): ReplyPlan {
  const found = candidates.find((path) => index.has(path));
  const path = found ?? NOT_FOUND_PAGE;
  if (!index.has(path)) return page('not_found');
  const range = found !== undefined && request.method === 'GET' ? request.range : undefined;
  const { acceptEncoding } = request;
  const representation = chooseRepresentation(index, path, { acceptEncoding, wantsRange: range !== undefined });
  if (representation === undefined) return page('not_acceptable', { vary: 'accept-encoding' });

  const headers = {
    'cache-control': cacheControlOf(path),
    'x-content-type-options': 'nosniff',
    ...(representation.dependsOnClient && { vary: 'accept-encoding' }),
  };
  const described = { ...headers, ...describe(representation) };
  if (found === undefined) return { kind: 'content', status: 404, headers: described, representation, span: undefined };
  return planFound(representation, { headers, described }, { ...request, range });
}

/** Preconditions in the order of RFC 9110 §13.2.2, then the range. */
function planFound(
  representation: Representation,
  { headers, described }: { readonly headers: Headers; readonly described: Headers },
  request: ReplyRequest,
): ReplyPlan {
  const etag = tagOf(representation);
  const { ifMatch, ifNoneMatch, ifRange } = request;
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag)) return page('precondition_failed');
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag))
    return { kind: 'not_modified', headers: { ...headers, etag } };

  const content = { kind: 'content', representation, headers: { ...described, etag } } as const;
  const whole: ReplyPlan = { ...content, status: 200, span: undefined };
  if (representation.coding !== 'identity') return whole;
  const { bytes } = representation.stored;
  const ranged = { ...content.headers, 'accept-ranges': 'bytes' };
  // §13.1.5: a tag and no list, strongly compared; a date matches nothing here.
  const isStillMeant = ifRange === undefined || ifRange.trim() === etag;
  const verdict = evaluateRange(isStillMeant ? request.range : undefined, bytes);
  switch (verdict.kind) {
    case 'whole':
      return { ...whole, headers: ranged };
    case 'unsatisfiable':
      return page('range_not_satisfiable', { 'content-range': `bytes */${bytes}` });
    case 'part': {
      const { first, last } = verdict.span;
      const partial = { ...ranged, 'content-range': `bytes ${first}-${last}/${bytes}` };
      return { ...content, status: 206, headers: partial, span: verdict.span };
    }
  }
}

function describe({ contentType, coding }: Representation): Headers {
  return { 'content-type': contentType, ...(coding !== 'identity' && { 'content-encoding': coding }) };
}

/** Each representation has its own: the file's bytes, and each way of compressing them. */
function tagOf({ stored, contentType, coding, isCompressedHere }: Representation): string {
  return entityTag(stored.sha256, contentType, coding, isCompressedHere ? COMPRESSION_VERSION : '');
}

function page(name: PageName, headers: Headers = {}): ReplyPlan {
  return { kind: 'page', page: name, headers };
}
