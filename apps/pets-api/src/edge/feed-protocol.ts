import { edgeFeedProtocols } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** The refusal of an edge whose protocol is too old. */
export function unsupportedProtocol(protocol: number, oldest: number = edgeFeedProtocols.oldest): RequestError {
  const { newest } = edgeFeedProtocols;
  const message = `protocol: ${protocol} is not supported here, only ${oldest} to ${newest}. Update the edge.`;
  return new RequestError('gone', message);
}
