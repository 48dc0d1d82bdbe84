import { isIP } from 'node:net';
import { isPublicAddress } from '@pets/domains';
import { CheckedAddresses } from '@pets/platform';
import { Agent, buildConnector } from 'undici';

const CONNECT_LIMIT_MS = 10_000;

/**
 * Connects to receivers and to nothing else: every address is checked before a packet is sent, a literal one in the URL too.
 * Certificates are verified. The API limits the concurrent requests to a receiver, before a job has a slot here: one that
 * waits for a connection would keep others from it.
 * @param ca PEM, instead of the public CAs
 */
export function createReceiverAgent(addresses: CheckedAddresses, ca?: string): Agent {
  const connect = buildConnector({
    timeout: CONNECT_LIMIT_MS,
    lookup: addresses.lookup,
    allowH2: false,
    ...(ca !== undefined && { ca }),
  });
  return new Agent({
    connect: (options, callback) => {
      const host = withoutBrackets(options.hostname);
      if (isIP(host) === 0) return connect(options, callback);
      // An address is not looked up, so it is checked here.
      addresses.find(host).then(
        () => connect(options, callback),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}

function withoutBrackets(hostname: string): string {
  return hostname.replaceAll(/^\[|\]$/g, '');
}

export interface ReceiverAddressesOptions {
  /** Whether receivers may have private addresses. */
  readonly allowsPrivate: boolean;
  /** Resolvers, `address:port`. The default is the system's. */
  readonly servers?: readonly string[];
}

/** The addresses of receivers; those that are not on the public Internet are refused. */
export function receiverAddresses({ allowsPrivate, servers }: ReceiverAddressesOptions): CheckedAddresses {
  return new CheckedAddresses({
    isAllowed: allowsPrivate ? () => true : isPublicAddress,
    ...(servers !== undefined && { servers }),
  });
}
