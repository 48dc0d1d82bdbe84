import { EDGE_FEED_PROTOCOL } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** @throws RequestError when this pets-api does not have the protocol that an edge asks for */
export function assertSupported(protocol: number): void {
  if (protocol === EDGE_FEED_PROTOCOL) return;
  const remedy = protocol < EDGE_FEED_PROTOCOL ? 'Update the edge.' : 'Update pets-api before the edges.';
  throw new RequestError('gone', `protocol: ${protocol} is not supported here, only ${EDGE_FEED_PROTOCOL}. ${remedy}`);
}
