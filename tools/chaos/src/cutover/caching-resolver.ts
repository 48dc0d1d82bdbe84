import { Resolver } from 'node:dns/promises';

export interface TimedAddress {
  readonly address: string;
  readonly ttlSeconds: number;
}

/** Resolves a name to the address that a visitor connects to. */
export type ResolveName = (name: string) => Promise<string>;

/** Answers from its cache until the TTL has passed, as a visitor's resolver does. A failed lookup is not cached. */
export function cachingResolver(
  lookUp: (name: string) => Promise<TimedAddress>,
  now: () => number = Date.now,
): ResolveName {
  const cache = new Map<string, { readonly address: Promise<string>; expiresAtMs: number }>();
  return (name) => {
    const cached = cache.get(name);
    if (cached !== undefined && now() < cached.expiresAtMs) return cached.address;
    const answer = lookUp(name);
    // Visitors who come during the lookup wait for it.
    const entry = { address: answer.then(({ address }) => address), expiresAtMs: Number.POSITIVE_INFINITY };
    cache.set(name, entry);
    answer.then(
      ({ ttlSeconds }) => (entry.expiresAtMs = now() + ttlSeconds * 1_000),
      () => cache.delete(name),
    );
    return entry.address;
  };
}

/** Asks a DNS server. The TTL is the lowest of the chain of CNAMEs and the address. */
export function dnsLookUp(server: string): (name: string) => Promise<TimedAddress> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([server]);
  return async (name) => {
    const [first] = await resolver.resolve4(name, { ttl: true });
    if (first === undefined) throw new Error(`${name} has no address`);
    return { address: first.address, ttlSeconds: first.ttl };
  };
}
