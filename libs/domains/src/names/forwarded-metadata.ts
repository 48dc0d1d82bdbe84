import { MAX_FORWARDED_METADATA, type Metadata } from '@pets/contracts';

/**
 * The part of a domain's metadata that an application asked for, as JSON.
 * @returns undefined when there is none
 */
export function forwardedMetadata(metadata: Metadata | null, keys: readonly string[]): string | undefined {
  const chosen = Object.entries(metadata ?? {}).filter(([key]) => keys.includes(key));
  return chosen.length === 0 ? undefined : JSON.stringify(Object.fromEntries(chosen));
}

/** Whether an application can receive it with each request: it has at most `MAX_FORWARDED_METADATA` bytes in UTF-8. */
export function isForwardable(metadata: string): boolean {
  return new TextEncoder().encode(metadata).length <= MAX_FORWARDED_METADATA;
}
