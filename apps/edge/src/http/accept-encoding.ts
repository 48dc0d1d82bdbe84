/** Codings that can be sent, in the order in which they are preferred where the client is indifferent. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** How much a client wants each way of sending, from 0 (not at all) to 1. */
export type Acceptance = Readonly<Record<Coding | 'identity', number>>;

/**
 * Reads Accept-Encoding (RFC 9110 §12.5.3). A coding that is not listed is not acceptable, unless `*` says so; bytes as
 * they are always are, unless `identity` or `*` forbids it. A client that says nothing gets them: it could take
 * anything, but those that want codings ask for them. What cannot be read is left out.
 */
export function readAcceptEncoding(header: string | undefined): Acceptance {
  const weights = new Map((header ?? '').toLowerCase().split(',').flatMap(readElement));
  const rest = weights.get('*');
  return {
    br: weights.get('br') ?? rest ?? 0,
    gzip: weights.get('gzip') ?? weights.get('x-gzip') ?? rest ?? 0,
    // Never the first choice of a client that asks for codings, unless it says so.
    identity: weights.get('identity') ?? (rest === 0 ? 0 : Number.MIN_VALUE),
  };
}

function readElement(element: string): [string, number][] {
  const [, name, weight = '1'] =
    /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/.exec(element) ?? [];
  return name === undefined ? [] : [[name, Number(weight)]];
}
