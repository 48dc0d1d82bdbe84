import type { DnsQuestionType, ExpectedDns, PreflightFindings } from '@pets/contracts';
import type { DnsServer } from '@pets/dns';
import { errorCodeOf, failureText, isSameAddress } from '@pets/domains';
import { requestChallenge } from '@pets/platform';

/** The result of the HTTP-01 path for each address. */
export type Reachability = PreflightFindings['reachability'];

export interface ChallengePath {
  readonly port: number;
  /** Edges answer any token with `<token>.<thumbprint>`. */
  readonly thumbprint: string;
  /**
   * Whether the zone's own servers have shown that the name leads to our target. The CA asks these too, so cached answers of
   * resolvers do not matter, and the addresses of the name are those of the target.
   */
  readonly isShownByZone?: boolean;
  /** The listed addresses that it shows, where it shows addresses instead of a CNAME: the CA goes to these alone. */
  readonly shown?: readonly string[];
}

const RESPONSE_LIMIT_MS = 3_000;

/**
 * Requests a challenge as the CA will, at every address of the name: CAs prefer IPv6 and do not fall back after a wrong answer
 * there. Requests go only to addresses of our own target and to listed ones, since the owner of a name must not choose where
 * this process connects to.
 */
export async function tryChallengePath(
  servers: readonly DnsServer[],
  { name, targetHost, addresses: listed }: ExpectedDns,
  path: ChallengePath,
  signal: AbortSignal,
): Promise<Reachability> {
  const { isShownByZone = false, shown = [] } = path;
  const [found, answered] = await Promise.all([
    isShownByZone ? shown : addressesOf(servers, name),
    addressesOf(servers, targetHost),
  ]);
  const ours = [...listed, ...answered];
  const addresses = isShownByZone && shown.length === 0 ? answered : found;
  if (addresses.length === 0) return [{ address: name, error: 'no address found' }];
  return Promise.all(
    addresses.map(async (address) => ({
      address,
      error: ours.some((one) => isSameAddress(one, address))
        ? await tryAddress(address, name, path, signal)
        : `is not an address of ${targetHost}`,
    })),
  );
}

/** Errors of a machine without a route to the address (often IPv6), which say nothing about the CA. */
const noRouteCodes = ['ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** Whether at least one address answered, and none answered wrongly. */
export function isReachable(reachability: Reachability): boolean {
  const tried = reachability.filter(({ error }) => error === null || !noRouteCodes.includes(error));
  return tried.length > 0 && tried.every(({ error }) => error === null);
}

async function addressesOf(servers: readonly DnsServer[], host: string): Promise<string[]> {
  const types: DnsQuestionType[] = ['A', 'AAAA'];
  const lookups = await Promise.all(servers.flatMap((server) => types.map((type) => server.query(host, type))));
  const found = lookups.flatMap(({ answer }) => (answer.kind === 'found' ? answer.records : []));
  return [...new Set(found.map(({ value }) => value))];
}

/** Null after the expected answer, else the difference. */
async function tryAddress(
  address: string,
  host: string,
  { port, thumbprint }: ChallengePath,
  signal: AbortSignal,
): Promise<string | null> {
  const limit = AbortSignal.timeout(RESPONSE_LIMIT_MS);
  try {
    const asked = { address, port, host, thumbprint };
    const { status, isRight } = await requestChallenge(asked, AbortSignal.any([signal, limit]));
    if (status !== 200) return `answered with status ${status}`;
    return isRight ? null : 'answered with another text: the request did not reach our edges';
  } catch (error) {
    if (limit.aborted) return `no answer within ${RESPONSE_LIMIT_MS} ms`;
    return errorCodeOf(error) ?? failureText(error);
  }
}
