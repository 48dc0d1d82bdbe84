import { MAX_FORWARDED_METADATA, type Metadata } from '@pets/contracts';

/**
 * The part of a domain's metadata that an application asked for, as JSON.
 * @returns undefined when there is none, `too_long` when it has more than `MAX_FORWARDED_METADATA` bytes in UTF-8
 */
export function forwardedMetadata(metadata: Metadata | null, keys: readonly string[]): string | 'too_long' | undefined {
  const told = Object.entries(metadata ?? {}).filter(([key]) => keys.includes(key));
  if (told.length === 0) return undefined;
  const text = JSON.stringify(Object.fromEntries(told));
  return new TextEncoder().encode(text).length > MAX_FORWARDED_METADATA ? 'too_long' : text;
}
