/**
 * Waits until every name server of a zone of our own answers a TXT record. A CA asks any of them, so one that lacks the
 * record, such as a secondary that has not transferred the zone, makes the challenge fail.
 */
import { exponentialDelayMs, pause } from '@pets/async';
import type { DnsLookup, DnsQuestionType } from '@pets/contracts';

/** One address of a name server. */
interface ServerAtAddress {
  query(name: string, type: 'TXT'): Promise<DnsLookup>;
}

/** A name server with all its addresses. */
export interface NameServer {
  readonly host: string;
  readonly addresses: readonly ServerAtAddress[];
}

/** TXT values that must be visible at a name. */
export interface ExpectedTxt {
  readonly name: string;
  readonly values: readonly string[];
}

export type TxtPropagation =
  | { readonly kind: 'complete' }
  /** The time is over. `lacking`: the last answer of each server without the values. */
  | { readonly kind: 'incomplete'; readonly lacking: readonly DnsLookup[] }
  /** The zone has no name servers that could be asked, so no CA could ask one either. */
  | { readonly kind: 'no_servers'; readonly error: string };

/** RFC 1034 has no limit; the operator of the zone decides. Zones have at most 13 because of the size of a UDP reply. */
const MAX_HOSTS = 16;
const MAX_ADDRESSES_PER_HOST = 4;
/** Secondaries usually have a change within a second (NOTIFY, RFC 1996). */
const POLL_DELAY = { firstMs: 250, maxMs: 5_000 };

/**
 * Finds all name servers of a zone with all their addresses, private ones as well: the zone is the operator's.
 * @param resolve queries the resolvers
 * @param serverAt the server at an address
 */
export async function findNameServers(
  zone: string,
  resolve: (name: string, type: DnsQuestionType) => Promise<DnsLookup>,
  serverAt: (address: string) => ServerAtAddress,
): Promise<{ readonly servers: readonly NameServer[] } | { readonly error: string }> {
  const { answer, alias } = await resolve(zone, 'NS');
  if (answer.kind === 'failed') return { error: `the name servers of ${zone} are unknown: ${answer.error}` };
  if (answer.kind === 'absent' || alias !== undefined)
    return { error: `${zone} is not delegated: it has no NS records` };
  const hosts = answer.records.slice(0, MAX_HOSTS).map(({ value }) => value);
  const servers = await Promise.all(
    hosts.map(async (host) => {
      const lookups = await Promise.all([resolve(host, 'A'), resolve(host, 'AAAA')]);
      const addresses = lookups.flatMap((lookup) => valuesOf(lookup).slice(0, MAX_ADDRESSES_PER_HOST));
      return { host, addresses: addresses.map(serverAt) };
    }),
  );
  const unknown = servers.filter(({ addresses }) => addresses.length === 0).map(({ host }) => host);
  return unknown.length === 0 ? { servers } : { error: `no address of ${unknown.join(', ')} was found` };
}

/**
 * Asks the servers until each has answered all values, with growing pauses. A server that has answered them is not asked
 * again.
 * @param limitMs after this time, the result is `incomplete`
 * @throws the reason of the signal, if it is aborted
 */
export async function waitForTxt(
  servers: readonly NameServer[],
  expected: ExpectedTxt,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<TxtPropagation> {
  const endsAt = performance.now() + limitMs;
  let remaining = servers;
  for (let round = 1; ; round += 1) {
    const asked = await Promise.all(remaining.map((server) => askNameServer(server, expected)));
    signal.throwIfAborted();
    remaining = remaining.filter((_server, index) => asked[index]?.length !== 0);
    if (remaining.length === 0) return { kind: 'complete' };
    const delayMs = exponentialDelayMs(POLL_DELAY, round);
    if (performance.now() + delayMs >= endsAt) return { kind: 'incomplete', lacking: asked.flat() };
    await pause(delayMs, signal);
    signal.throwIfAborted();
  }
}

/**
 * Returns the answers of a name server without the values. An address that gives no answer counts only if none of the server
 * has the values: this machine may have no IPv6.
 */
async function askNameServer({ addresses }: NameServer, { name, values }: ExpectedTxt): Promise<DnsLookup[]> {
  const lookups = await Promise.all(addresses.map((server) => server.query(name, 'TXT')));
  const lacking = lookups.filter((lookup) => !values.every((value) => valuesOf(lookup).includes(value)));
  const isAnswered = lacking.length < lookups.length;
  return isAnswered ? lacking.filter(({ answer }) => answer.kind !== 'failed') : lacking;
}

function valuesOf({ answer }: DnsLookup): string[] {
  return answer.kind === 'found' ? answer.records.map(({ value }) => value) : [];
}
