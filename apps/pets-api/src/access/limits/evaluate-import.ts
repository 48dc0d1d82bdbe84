import type { Limits } from '../../http/principal.js';

/** What an organization uses of its limits of bytes. */
export interface UsedBytes {
  readonly databaseBytes: number;
  readonly importBytesPerDay: number;
}

export type ImportVerdict =
  /** `limitedBy` is the limit that ends a longer file; null where it is that of every file. */
  | { readonly kind: 'admitted'; readonly bytes: number; readonly limitedBy: keyof UsedBytes | null }
  | { readonly kind: 'refused'; readonly limitedBy: keyof UsedBytes };

/**
 * How many bytes an upload may have. Of a file without a declared length, as many as are left.
 * @param most of any file
 */
export function evaluateImport(
  declaredBytes: number | null,
  most: number,
  used: UsedBytes,
  limits: Pick<Limits, keyof UsedBytes>,
): ImportVerdict {
  const wanted = declaredBytes === null ? most : Math.min(declaredBytes, most);
  const left = (name: keyof UsedBytes) => limits[name] - used[name];
  const limitedBy = left('databaseBytes') < left('importBytesPerDay') ? 'databaseBytes' : 'importBytesPerDay';
  const room = left(limitedBy);
  if (wanted <= room) return { kind: 'admitted', bytes: wanted, limitedBy: null };
  if (declaredBytes !== null || room <= 0) return { kind: 'refused', limitedBy };
  return { kind: 'admitted', bytes: room, limitedBy };
}

/** Whole seconds until the next day begins, UTC. */
export function secondsLeftOfDay(now: Date): number {
  const dayMs = 86_400_000;
  return Math.ceil((dayMs - (now.getTime() % dayMs)) / 1_000);
}
