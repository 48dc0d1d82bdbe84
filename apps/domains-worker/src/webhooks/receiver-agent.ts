import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { ReceiverAddresses } from './receiver-addresses.js';

const CONNECT_LIMIT_MS = 10_000;

/** Of one receiver; the API hands out fewer requests at the same time than this. */
const MAX_CONNECTIONS = 16;

/**
 * Connects to receivers, and to nothing else: the address is checked before a packet is sent, a literal one in the URL as
 * well as those a name leads to. Certificates are verified.
 * @param ca of receivers' certificates, PEM; the public ones unless given
 */
export function createReceiverAgent(addresses: ReceiverAddresses, ca?: string): Agent {
  const connect = buildConnector({
    timeout: CONNECT_LIMIT_MS,
    lookup: addresses.lookup,
    allowH2: false,
    ...(ca !== undefined && { ca }),
  });
  return new Agent({
    connections: MAX_CONNECTIONS,
    connect: (options, callback) => {
      const host = withoutBrackets(options.hostname);
      if (isIP(host) === 0) return connect(options, callback);
      // Nothing is looked up where the host is an address.
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
