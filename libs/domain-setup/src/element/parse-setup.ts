import type { DomainIssue, RequiredRecord, SetupDomain } from '@pets/contracts';
import type { ShownDomain, ShownSetup } from '../shown-domain.js';

/** Longer texts are cut off, longer lists end: what is shown comes from strangers. */
const MAX_TEXT = 4_000;
const MAX_ITEMS = 100;
/** A domain, and the other name of its pair. */
const MAX_DOMAINS = 2;

type Fields = Readonly<Record<string, unknown>>;

const states = ['awaiting_dns', 'verified', 'live', 'removed'] as const;
const readinessStates = ['waiting', 'preparing', 'ready'] as const;
const severities = ['error', 'warning', 'info'] as const;

/** Reads what a page or the API gives, as a copy of what the element shows; null for anything else. Never throws. */
export function parseSetup(value: unknown): ShownSetup | null {
  try {
    return readSetup(fieldsOf(value));
  } catch {
    // Also a getter or a proxy of the page may throw.
    return null;
  }
}

function readSetup(setup: Fields): ShownSetup {
  const domains = listOf(setup['domains'], readDomain).slice(0, MAX_DOMAINS);
  if (domains.length === 0) throw new TypeError('no domain');
  return {
    domains,
    name: optionalText(setup['name']),
    color: optionalText(setup['color']),
    supportAddress: optionalText(setup['supportAddress']),
    logo: setup['logo'] == null ? null : readLogo(setup['logo']),
    returnUrl: optionalText(setup['returnUrl']),
    platform: optionalText(setup['platform']) ?? '',
    expiresAt: optionalInstant(setup['expiresAt']),
  };
}

function readLogo(value: unknown): NonNullable<ShownSetup['logo']> {
  const { url, width, height } = fieldsOf(value);
  return { url: text(url), width: Number(width) || 0, height: Number(height) || 0 };
}

function readDomain(value: unknown): ShownDomain {
  const domain = fieldsOf(value);
  const dns = fieldsOf(domain['dns']);
  const name = text(domain['name']);
  return {
    name,
    unicodeName: optionalText(domain['unicodeName']) ?? name,
    apexName: text(domain['apexName']),
    state: oneOf(states, domain['state']),
    misconfigured: domain['misconfigured'] === true,
    createdAt: instant(domain['createdAt']),
    verifiedAt: optionalInstant(domain['verifiedAt']),
    liveAt: optionalInstant(domain['liveAt']),
    records: listOf(domain['records'], readRecord),
    dns: {
      requestedAt: optionalInstant(dns['requestedAt']),
      checkedAt: optionalInstant(dns['checkedAt']),
      nextCheckAt: optionalInstant(dns['nextCheckAt']),
      nameServers: listOf(dns['nameServers'], text),
      observed: listOf(dns['observed'], readObserved),
      conflicts: listOf(dns['conflicts'], readConflict),
      ...(dns['former'] != null && { former: listOf(dns['former'], readFormer) }),
    },
    ownership: readOwnership(domain['ownership']),
    issues: listOf(domain['issues'], readIssue),
    certificate: domain['certificate'] == null ? null : readCertificate(domain['certificate']),
    readiness: domain['readiness'] == null ? null : readReadiness(domain['readiness']),
    isSuspended: domain['isSuspended'] === true,
    ...(domain['certificateIssuedAt'] != null && { certificateIssuedAt: instant(domain['certificateIssuedAt']) }),
  };
}

function readRecord(value: unknown): RequiredRecord {
  const record = fieldsOf(value);
  const alternatives = listOf(record['alternatives'], readZoneRecord);
  return {
    ...readZoneRecord(record),
    purpose: text(record['purpose']) as RequiredRecord['purpose'], // one of a newer API is shown as any other
    ...(record['optional'] === true && { optional: true }),
    ...(alternatives.length > 0 && { alternatives: alternatives as NonNullable<RequiredRecord['alternatives']> }), // as above
  } as RequiredRecord; // the types of records as well
}

function readZoneRecord(value: unknown) {
  const { type, name, value: content, ttl } = fieldsOf(value);
  return { type: text(type), name: text(name), value: text(content), ttl: Number(ttl) || 0 };
}

function readObserved(value: unknown): SetupDomain['dns']['observed'][number] {
  const { type, name, value: content, ttl, resolver } = fieldsOf(value);
  return {
    type: text(type),
    name: text(name),
    value: text(content),
    ttl: typeof ttl === 'number' ? ttl : null,
    resolver: text(resolver),
  };
}

function readConflict(value: unknown): SetupDomain['dns']['conflicts'][number] {
  const { type, name, value: content, action } = fieldsOf(value);
  return {
    type: text(type),
    name: text(name),
    value: text(content),
    action: action === 'change' ? 'change' : 'remove',
  };
}

function readFormer(value: unknown): NonNullable<SetupDomain['dns']['former']>[number] {
  const { ttl, goneAt } = fieldsOf(value);
  return { ...readConflict(value), ttl: typeof ttl === 'number' ? ttl : null, goneAt: instant(goneAt) };
}

function readOwnership(value: unknown): SetupDomain['ownership'] {
  const { required, state } = fieldsOf(value ?? {});
  return {
    required: required === true,
    state: (optionalText(state) ?? 'not_required') as SetupDomain['ownership']['state'], // only compared
    record: null,
  };
}

function readCertificate(value: unknown): NonNullable<SetupDomain['certificate']> {
  const { state, issuer, notAfter } = fieldsOf(value);
  return {
    state: text(state) as NonNullable<SetupDomain['certificate']>['state'], // only compared
    issuer: optionalText(issuer),
    notAfter: optionalInstant(notAfter),
  };
}

function readReadiness(value: unknown): NonNullable<SetupDomain['readiness']> {
  const { state, message } = fieldsOf(value);
  return { state: oneOf(readinessStates, state), message: text(message) };
}

function readIssue(value: unknown): DomainIssue {
  const issue = fieldsOf(value);
  return {
    code: text(issue['code']) as DomainIssue['code'], // one of a newer API has its texts with it
    title: text(issue['title']),
    area: text(issue['area']) as DomainIssue['area'], // only compared
    severity: oneOf(severities, issue['severity']),
    blocking: issue['blocking'] === true,
    resolvesAutomatically: issue['resolvesAutomatically'] === true,
    message: text(issue['message']),
    cause: optionalText(issue['cause']),
    remediation: text(issue['remediation']),
    evidence: readEvidence(issue['evidence']),
  };
}

function readEvidence(value: unknown): DomainIssue['evidence'] {
  const evidence: Record<string, string | number | readonly string[]> = {};
  for (const [key, entry] of Object.entries(fieldsOf(value ?? {})).slice(0, MAX_ITEMS)) {
    if (Array.isArray(entry)) evidence[key] = listOf(entry, text);
    else if (typeof entry === 'number') evidence[key] = entry;
    else if (typeof entry === 'string') evidence[key] = text(entry);
  }
  return evidence;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return value as Fields; // each field is checked
}

function listOf<Item>(value: unknown, read: (item: unknown) => Item): Item[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map((item) => read(item)) : [];
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value.slice(0, MAX_TEXT);
}

function optionalText(value: unknown): string | null {
  return value == null ? null : text(value);
}

function instant(value: unknown): string {
  const at = text(value);
  if (Number.isNaN(Date.parse(at))) throw new TypeError('not a time');
  return at;
}

function optionalInstant(value: unknown): string | null {
  return value == null ? null : instant(value);
}

function oneOf<const Choice extends string>(choices: readonly Choice[], value: unknown): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new TypeError('not one of the choices');
  return found;
}
