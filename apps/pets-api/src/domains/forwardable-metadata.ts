import { MAX_FORWARDED_METADATA, type Metadata } from '@pets/contracts';
import { forwardedMetadata, isForwardable } from '@pets/domains';
import { RequestError } from '@pets/platform';
import type { OriginRow } from '../projects/origins/origin-row.js';

type Asking = Pick<OriginRow, 'metadataKeys'>;

/**
 * The refusal of metadata that an application could not be told with each request.
 * @param before what is stored: nothing is refused that stays as it is
 * @returns null where each of the origins can be told
 */
export function findUnforwardable(
  metadata: Metadata,
  before: Metadata,
  origins: readonly (Asking | null)[],
): RequestError | null {
  const isRefused = ({ metadataKeys }: Asking) => {
    const told = forwardedMetadata(metadata, metadataKeys) ?? '';
    return !isForwardable(told) && told !== forwardedMetadata(before, metadataKeys);
  };
  if (!origins.some((origin) => origin !== null && isRefused(origin))) return null;
  const message = `has more than ${MAX_FORWARDED_METADATA} bytes under the keys that the origin asks for.`;
  return RequestError.ofField('invalid_parameter', 'metadata', message);
}
