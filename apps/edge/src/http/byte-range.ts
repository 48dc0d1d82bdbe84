import type { ByteSpan } from '@pets/platform';

export type RangeVerdict =
  /** No range, or one that is not heard: the whole is sent. */
  { readonly kind: 'whole' } | { readonly kind: 'part'; readonly span: ByteSpan } | { readonly kind: 'unsatisfiable' };

const whole: RangeVerdict = { kind: 'whole' };

/**
 * Reads Range (RFC 9110 §14.2) for a content of some size: one range of bytes. Several ranges, other units and what
 * cannot be read are answered with the whole, as a server may; so is the end of what is empty, which has no bytes.
 */
export function evaluateRange(header: string | undefined, bytes: number): RangeVerdict {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return whole;
  if (from === '') return evaluateSuffix(Number(to), bytes);
  const [first, last] = [Number(from), to === '' ? Infinity : Number(to)];
  if (last < first) return whole;
  if (first >= bytes) return { kind: 'unsatisfiable' };
  return { kind: 'part', span: { first, last: Math.min(last, bytes - 1) } };
}

/** `-500`: the last 500 bytes, or all where there are fewer. */
function evaluateSuffix(length: number, bytes: number): RangeVerdict {
  if (length === 0) return { kind: 'unsatisfiable' };
  if (bytes === 0) return whole;
  return { kind: 'part', span: { first: Math.max(bytes - length, 0), last: bytes - 1 } };
}
