import { RequestError } from '@pets/platform';

/**
 * After which line of the history a reader wants to go on; null for one that begins with what happens from now on.
 * @throws RequestError `invalid_parameter` for what we never gave
 */
export function parseLastEventId(header: string | undefined): bigint | null {
  if (header === undefined) return null;
  if (!/^(?:0|[1-9]\d{0,17})$/.test(header))
    throw RequestError.ofField(
      'invalid_parameter',
      'Last-Event-ID',
      'must be the id of an event, or 0 for all of them',
    );
  return BigInt(header);
}
