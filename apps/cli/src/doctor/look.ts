import { isIP } from 'node:net';
import type { DnsFindings, DnsLookup, ExpectedDns } from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns, type DnsCheck } from '@pets/dns';
import { usageFailure } from '../outcome/outcome.js';

/** Longer than a check takes at most, whatever does not answer. */
const LOOK_LIMIT_MS = 20_000;

const surveyed = ['CNAME', 'A', 'AAAA'] as const;

export interface LookAt {
  readonly name: string;
  readonly isApex: boolean;
  /** Null: nothing is known, and all there is will be shown. */
  readonly expected: ExpectedDns | null;
  /** `address` or `address:port`; none for the system's. */
  readonly resolvers: readonly string[];
}

export interface Look {
  readonly findings: DnsFindings;
  readonly caa: readonly DnsLookup[];
}

/** Looks into DNS from where this runs: the name's records, and CAA up to the top-level domain. Decides nothing. */
export async function lookAt({ name, isApex, expected, resolvers }: LookAt): Promise<Look> {
  const servers = new DnsServers({
    ...(resolvers.length > 0 && { resolvers: resolvers.map(checkResolver) }),
    allowPrivateAuthoritative: false,
  });
  try {
    const check = servers.open(AbortSignal.timeout(LOOK_LIMIT_MS));
    const climb = expected ?? { name, isApex, targetHost: '', ownershipHost: null };
    const [findings, caa] = await Promise.all([
      expected === null ? survey(check, name) : gatherDns(check, expected, new Date()),
      gatherCaa(check, climb),
    ]);
    return { findings, caa };
  } finally {
    servers.close();
  }
}

async function survey(check: DnsCheck, name: string): Promise<DnsFindings> {
  const [{ names }, ...lookups] = await Promise.all([
    check.zoneServersOf(name),
    ...check.resolvers.flatMap((server) => surveyed.map((type) => server.ask(name, type))),
  ]);
  return { checkedAt: new Date().toISOString(), lookups, ...(names.length > 0 && { nameServers: [...names] }) };
}

/** @throws CommandFailure `usage` */
function checkResolver(text: string): string {
  const { v6, bare, port } = /^(?:\[(?<v6>[^\]]+)\]|(?<bare>.+?))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  const isAddress = isIP(text) !== 0 || isIP(v6 ?? '') === 6 || isIP(bare ?? '') === 4;
  const isPort = port === undefined || isIP(text) === 6 || (Number(port) > 0 && Number(port) < 65_536);
  if (isAddress && isPort) return text;
  throw usageFailure(
    'invalid_resolver',
    `Invalid --resolver ${text}: use an address such as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53.`,
  );
}
