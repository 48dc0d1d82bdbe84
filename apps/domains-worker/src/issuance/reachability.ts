import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { DnsQuestionType, ExpectedDns, GateFindings } from '@pets/contracts';
import type { DnsServer } from '@pets/dns';
import { errorCodeOf, failureText } from '@pets/domains';

/** What the HTTP-01 path showed, address by address. */
export type Reachability = GateFindings['reachability'];

export interface ChallengePath {
  readonly port: number;
  /** An edge answers `<token>.<thumbprint>` to any token. */
  readonly thumbprint: string;
  /**
   * Whether the zone's own servers have shown that the name leads to our target. The CA asks these too: what resolvers
   * still remember of the name does not matter then, and the target's addresses are the name's.
   */
  readonly isShownByZone?: boolean;
}

const ANSWER_LIMIT_MS = 3_000;
const MAX_ANSWER_BYTES = 1_024;

/**
 * Asks for a challenge the way the CA will, at every address the name has, of either family: CAs prefer IPv6, and take a
 * wrong answer there for the final one. Only addresses that our own target has are
 * asked: names belong to others, and nobody may make this process send requests elsewhere.
 */
export async function tryChallengePath(
  servers: readonly DnsServer[],
  { name, targetHost }: ExpectedDns,
  path: ChallengePath,
  signal: AbortSignal,
): Promise<Reachability> {
  const [seen, ours] = await Promise.all([
    path.isShownByZone ? [] : addressesOf(servers, name),
    addressesOf(servers, targetHost),
  ]);
  const addresses = path.isShownByZone ? ours : seen;
  if (addresses.length === 0) return [{ address: name, error: 'no address was found' }];
  return Promise.all(
    addresses.map(async (address) => ({
      address,
      error: ours.includes(address) ? await tryAddress(address, name, path, signal) : `is no address of ${targetHost}`,
    })),
  );
}

/** Codes that say this machine has no way to the address (often IPv6), which says nothing about the CA's. */
const noRouteCodes = ['ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** At least one address answered, and none gave a wrong answer. */
export function isReachable(reachability: Reachability): boolean {
  const tried = reachability.filter(({ error }) => error === null || !noRouteCodes.includes(error));
  return tried.length > 0 && tried.every(({ error }) => error === null);
}

async function addressesOf(servers: readonly DnsServer[], host: string): Promise<string[]> {
  const types: DnsQuestionType[] = ['A', 'AAAA'];
  const lookups = await Promise.all(servers.flatMap((server) => types.map((type) => server.ask(host, type))));
  const found = lookups.flatMap(({ answer }) => (answer.kind === 'found' ? answer.records : []));
  return [...new Set(found.map(({ value }) => value))];
}

/** Null when the expected answer came, else what came instead. */
async function tryAddress(
  address: string,
  name: string,
  path: ChallengePath,
  signal: AbortSignal,
): Promise<string | null> {
  const token = randomBytes(24).toString('base64url');
  try {
    const { status, body } = await get(address, name, path.port, `/.well-known/acme-challenge/${token}`, signal);
    if (status !== 200) return `answered with status ${status}`;
    return body.trim() === `${token}.${path.thumbprint}`
      ? null
      : 'answered with another text: the request did not reach us';
  } catch (error) {
    return errorCodeOf(error) ?? failureText(error);
  }
}

function get(
  address: string,
  name: string,
  port: number,
  path: string,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const limit = AbortSignal.timeout(ANSWER_LIMIT_MS);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(limit.aborted ? new Error(`no answer within ${ANSWER_LIMIT_MS} ms`) : error);
    const options = {
      host: address,
      port,
      path,
      headers: { host: name },
      agent: false,
      signal: AbortSignal.any([signal, limit]),
    };
    const outgoing = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (body.length > MAX_ANSWER_BYTES) outgoing.destroy(new Error('answered with a long text'));
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', fail);
    });
    outgoing.on('error', fail);
    outgoing.end();
  });
}
