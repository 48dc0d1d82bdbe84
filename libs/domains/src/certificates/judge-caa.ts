import type { CaaVerdict, DnsLookup } from '@pets/contracts';

/** Who would issue, in CAA's terms. */
export interface CaaPolicy {
  /** Issuer domain names the CA answers to (RFC 8555 §7.1.1 `caaIdentities`). */
  readonly identities: readonly string[];
  /** Our account at the CA; null while there is none, which then matches no `accounturi`. */
  readonly accountUrl: string | null;
}

/**
 * Whether CAA lets the CA issue for a (non-wildcard) name, by RFC 8659 §3: climb from the name towards the root until
 * the first non-empty record set; that one alone decides. A failed look-up below it is "could not tell", which for CAA
 * is never a yes. Several servers: the strictest answer counts.
 */
export function judgeCaa(lookups: readonly DnsLookup[], name: string, policy: CaaPolicy): CaaVerdict {
  const servers = [...new Set(lookups.map(({ server }) => server))];
  const verdicts = servers.map((server) =>
    judgeServer(
      lookups.filter((lookup) => lookup.server === server),
      name,
      policy,
    ),
  );
  return (
    verdicts.find(({ kind }) => kind === 'forbids') ??
    verdicts.find(({ kind }) => kind === 'unknown') ??
    verdicts[0] ?? { kind: 'unknown', at: name, error: 'no server was asked' }
  );
}

function judgeServer(lookups: readonly DnsLookup[], name: string, policy: CaaPolicy): CaaVerdict {
  for (let at = name; at !== ''; at = at.slice(at.indexOf('.') + 1)) {
    const answer = lookups.find((lookup) => lookup.type === 'CAA' && lookup.name === at)?.answer;
    if (answer === undefined) return { kind: 'unknown', at, error: 'CAA was not looked up' };
    if (answer.kind === 'failed') return { kind: 'unknown', at, error: answer.error };
    if (answer.kind === 'found')
      return judgeSet(
        answer.records.map(({ value }) => value),
        at,
        policy,
      );
    if (!at.includes('.')) break;
  }
  return { kind: 'permits' };
}

/** Tags that say nothing about a certificate for a plain host name. */
const irrelevantTags = new Set(['issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone']);

function judgeSet(records: readonly string[], at: string, policy: CaaPolicy): CaaVerdict {
  const properties = records.map(parseProperty);
  const forbids: CaaVerdict = {
    kind: 'forbids',
    at,
    records: [...records],
    permitting: `${at}. CAA 0 issue "${policy.identities[0] ?? ''}"`,
  };

  // RFC 8659 §4.1: an unknown property with the critical flag forbids. Boulder reads flag 1 as critical too.
  const isCriticalUnknown = properties.some(
    (p) => p === null || (p.tag !== 'issue' && !irrelevantTags.has(p.tag) && (p.flags & 0x81) !== 0),
  );
  if (isCriticalUnknown) return forbids;

  const issuers = properties.flatMap((property) => (property?.tag === 'issue' ? [property.value] : []));
  // RFC 8659 §4.2: a set without an `issue` property restricts nothing.
  if (issuers.length === 0) return { kind: 'permits' };
  return issuers.some((value) => authorizes(value, policy)) ? { kind: 'permits' } : forbids;
}

function parseProperty(record: string): { flags: number; tag: string; value: string } | null {
  const match = /^(\d{1,3})\s+([A-Za-z0-9]+)\s+"?(.*?)"?$/s.exec(record);
  return match ? { flags: Number(match[1]), tag: (match[2] ?? '').toLowerCase(), value: match[3] ?? '' } : null;
}

/** RFC 8659 §4.2 `issuer-domain-name *(";" parameter)` with the parameters of RFC 8657. What is malformed permits nothing. */
function authorizes(value: string, policy: CaaPolicy): boolean {
  const [issuer = '', ...parameters] = value.split(';').map((part) => part.trim());
  if (!policy.identities.some((identity) => identity.toLowerCase() === issuer.toLowerCase())) return false;
  return parameters
    .filter((parameter) => parameter !== '')
    .every((parameter) => {
      const match = /^([A-Za-z0-9-]+)\s*=\s*([\x21-\x7e]*)$/.exec(parameter);
      if (match === null) return false;
      const [, tag = '', argument = ''] = match;
      if (tag.toLowerCase() === 'accounturi') return argument === policy.accountUrl;
      if (tag.toLowerCase() === 'validationmethods') return argument.split(',').includes('http-01');
      return true;
    });
}
