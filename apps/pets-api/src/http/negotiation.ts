const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
export const EVENT_STREAM_TYPE = 'text/event-stream';

/**
 * Whether a client accepts any of these types (RFC 9110 §12.5.1). Not with `negotiator`: it reports an order, but the
 * functions below compare weights, and it matches `application/json; charset=utf-8` only with that exact parameter.
 */
export function accepts(accept: string | undefined, types: readonly string[]): boolean {
  const ranges = parseAccept(accept);
  return ranges.length === 0 || types.some((type) => qualityOf(type, ranges) > 0);
}

/** Whether the client names problem details, with at least the weight of plain JSON. */
export function wantsProblemDetails(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(PROBLEM_TYPE)) return false;
  const ranges = parseAccept(accept);
  const named = ranges.find(({ range }) => range === PROBLEM_TYPE)?.quality ?? 0;
  return named > 0 && named >= (ranges.find(({ range }) => range === JSON_TYPE)?.quality ?? 0);
}

/** Whether the client names event streams and prefers them to plain JSON. */
export function prefersEventStream(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(EVENT_STREAM_TYPE)) return false;
  const ranges = parseAccept(accept);
  const named = ranges.find(({ range }) => range === EVENT_STREAM_TYPE)?.quality ?? 0;
  const isJsonNamed = ranges.some(({ range }) => range === JSON_TYPE);
  const json = qualityOf(JSON_TYPE, ranges);
  return named > 0 && (isJsonNamed ? named > json : named >= json);
}

interface MediaRange {
  readonly range: string;
  readonly quality: number;
}

/** Ignores parameters other than `q`, since `application/json; charset=utf-8` means JSON, and malformed ranges. */
function parseAccept(accept = ''): MediaRange[] {
  return accept.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (!/^[^\s/]+\/[^\s/]+$/.test(range)) return [];
    const weight = parameters.map((parameter) => /^q\s*=\s*([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
    return [{ range, quality: weight === undefined ? 1 : Number(weight) || 0 }];
  });
}

/** The most specific range decides, so a wildcard beside `application/json;q=0` still refuses JSON. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const candidates = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
  for (const candidate of candidates) {
    const match = ranges.find(({ range }) => range === candidate);
    if (match !== undefined) return match.quality;
  }
  return 0;
}
