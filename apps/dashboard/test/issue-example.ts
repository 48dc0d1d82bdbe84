import { domainSchema, type Domain, type DomainIssue, type IssueCode, type RequiredRecord } from '@pets/contracts';
import { describeIssue, issueCatalog } from '@pets/domains';

const [apexName, delegated] = ['example.com', 'p6ns2yjw4kq3fbxe7mdu.acme.pets.example'];

const target = 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example';

const codesOfLive: readonly IssueCode[] = ['dns_lost', 'renewal_at_risk', 'renewal_stopped', 'delegation_lost'];

const suspension = {
  ...{ scope: 'domain', cause: 'operator', reason: 'phishing reports', since: '2026-11-02T09:30:00.000Z' },
  renewsUntil: null,
} as const satisfies Domain['suspensions'][number];

/** A domain with an issue of the catalog: with its example, and with the records that belong to it. */
export function domainWithIssue(code: IssueCode): Domain {
  const issue = describeIssue(code, issueCatalog[code].example);
  const example = domainSchema.parse(domainSchema.meta()?.['example']);
  const name = nameOf(issue);
  const isLive = codesOfLive.includes(code) || /^(?:certificate_exp|own_|plan|suspended)/.test(code);
  const isVerified = issue.area === 'certificate' && code !== 'certificate_queued';
  const state = code === 'dangling_record' ? 'removed' : isLive ? 'live' : isVerified ? 'verified' : 'awaiting_dns';
  return {
    ...example,
    name,
    unicodeName: name,
    apexName,
    state,
    misconfigured: code === 'dns_lost',
    records: recordsOf(issue, name),
    dns: {
      ...example.dns,
      nameServers: ['ns1.example.net'],
      observed: observedOf(code, name),
      conflicts: conflictsOf(issue, name),
    },
    readiness: null,
    suspensions: code === 'suspended' ? [suspension] : [],
    issues: [issue],
  };
}

/** Evidence about a record has the name of that. */
function nameOf({ code, evidence }: DomainIssue): string {
  if (code === 'ownership_txt_missing') return String(evidence['name']).replace('_platform-challenge.', '');
  return String(evidence['name'] ?? (evidence['at'] ? `docs.${apexName}` : `docs.${apexName}`));
}

function recordsOf({ code, area, evidence }: DomainIssue, name: string): RequiredRecord[] {
  const isApex = name === apexName;
  const relative = isApex ? '' : name.slice(0, -(apexName.length + 1));
  const at = (prefix: string) => [prefix, relative.replace(/^\*\.?/, '')].filter(Boolean).join('.');
  const alternatives = [{ type: 'A' as const, name: '@', value: '198.51.100.7', ttl: 3600 }];
  return [
    {
      ...{ type: isApex ? 'ALIAS' : 'CNAME', name: isApex ? '@' : relative, value: target, ttl: 3600 },
      ...{ purpose: 'routing', ...(isApex && { alternatives }) },
    },
    ...(area === 'ownership' && code !== 'claimed_elsewhere'
      ? [txt(at('_platform-challenge'), String(evidence['expected'] ?? 'p4V0nJ2mXq8Tr6Wc1Zy7Hk3LbN0'))]
      : []),
    ...(area === 'delegation' ? [delegation(at('_acme-challenge'), name)] : []),
  ];
}

function txt(name: string, value: string): RequiredRecord {
  return { type: 'TXT', name, value, ttl: 3600, purpose: 'ownership' };
}

function delegation(name: string, of: string): RequiredRecord {
  const optional = of.startsWith('*.') ? {} : { optional: true as const };
  return { type: 'CNAME', name, value: delegated, ttl: 3600, purpose: 'delegation', ...optional };
}

/** Records that are right beside those that the issue is about. */
function observedOf(code: IssueCode, name: string): Domain['dns']['observed'] {
  const [ttl, resolver] = [60, '192.0.2.53:53'];
  if (code === 'conflicting_records' || code === 'propagating')
    return [{ type: 'CNAME', name, value: target, ttl, resolver: '192.0.2.60:53' }];
  return code === 'flattened' ? [{ type: 'A', name, value: '198.51.100.7', ttl, resolver }] : [];
}

const changed = { cname_mismatch: 'CNAME' } as Readonly<Record<string, string>>;
const removed = {
  ...{ apex_cname: 'CNAME', conflicting_a: 'A', conflicting_aaaa: 'AAAA', apex_not_pointing_here: 'A' },
} as Readonly<Record<string, string>>;

/** The single records that the check complained about. */
function conflictsOf({ code, evidence }: DomainIssue, name: string): Domain['dns']['conflicts'] {
  const action = code in changed ? 'change' : 'remove';
  const type = changed[code] ?? removed[code];
  const seen = [evidence['seen'] ?? []].flat().map(String);
  if (type !== undefined) return seen.map((value) => ({ type, name, value, action }));
  if (code !== 'conflicting_records') return [];
  return seen.map((text) => {
    const [ofText = '', value = ''] = text.split(' ');
    return { type: ofText, name, value, action };
  });
}
