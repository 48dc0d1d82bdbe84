import { MAX_FORWARDED_METADATA, type Metadata } from '@pets/contracts';
import { forwardedMetadata, isForwardable } from '@pets/domains';
import { RequestError } from '@pets/platform';

/**
 * The refusal of metadata that an application could not be told with each request.
 * @param before what is stored: nothing is refused that stays as it is
 * @param keys those that each origin asks for
 * @returns null where each of the origins can be told
 */
export function findUnforwardable(
  metadata: Metadata,
  before: Metadata,
  keys: readonly (readonly string[])[],
): RequestError | null {
  const isRefused = (asked: readonly string[]) => {
    const told = forwardedMetadata(metadata, asked) ?? '';
    return !isForwardable(told) && told !== forwardedMetadata(before, asked);
  };
  if (!keys.some(isRefused)) return null;
  const message = `has more than ${MAX_FORWARDED_METADATA} bytes under the keys that the origin asks for.`;
  return RequestError.ofField('invalid_parameter', 'metadata', message);
}
