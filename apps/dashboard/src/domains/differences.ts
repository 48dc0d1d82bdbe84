import type { Domain, DomainIssue, RequiredRecord } from '@pets/contracts';

/** A change that the owner has to make at the DNS provider. */
export interface Difference {
  readonly action: 'delete' | 'change' | 'add';
  readonly type: string;
  readonly name: string;
  /** The value to delete or to change; null for a record to add. */
  readonly value: string | null;
  /** The required record that replaces it, or is missing. */
  readonly required: RequiredRecord | null;
}

type Facts = Pick<Domain, 'name' | 'apexName' | 'state' | 'misconfigured' | 'records' | 'dns' | 'issues'>;

/** The difference between the records of a domain and those that it needs, as changes; empty if nothing conflicts. */
export function differencesOf(domain: Facts): Difference[] {
  const routing = domain.records.find(({ purpose }) => purpose === 'routing') ?? null;
  const conflicts = domain.dns.conflicts.map(({ type, name, value, action }): Difference => {
    const changed = action === 'change' && routing?.type === type ? routing : null;
    return { action: changed === null ? 'delete' : 'change', type, name, value, required: changed };
  });
  const isChanged = conflicts.some(({ required }) => required !== null);
  const added = domain.records
    .filter((record) => record.optional !== true && !(isChanged && record === routing) && isMissing(record, domain))
    .map((record): Difference => {
      const name = fullName(record, domain);
      return { action: 'add', type: record.type, name, value: null, required: record };
    });
  // Without a conflict, the records to create say everything.
  return conflicts.length === 0 && !domain.misconfigured ? [] : [...conflicts, ...added];
}

/** Names of required records are relative to the apex, as providers want them. */
function fullName({ name }: RequiredRecord, { apexName }: Pick<Facts, 'apexName'>): string {
  return name === '@' ? apexName : `${name}.${apexName}`;
}

/** An ALIAS cannot be seen: providers answer with addresses. It is missing if the domain does not point here. */
function isMissing(record: RequiredRecord, domain: Facts): boolean {
  if (areAddressesSeen(record, domain)) return false;
  if (record.purpose === 'ownership') return domain.issues.some(({ code }) => code === 'ownership_txt_missing');
  if (record.type === 'ALIAS') return domain.state === 'awaiting_dns' || domain.misconfigured;
  const name = fullName(record, domain);
  return !domain.dns.observed.some(
    (observed) => observed.type === record.type && isSame(observed.name, name) && isSame(observed.value, record.value),
  );
}

/** Whether the owner has created the addresses instead, or the provider answers with them. */
function areAddressesSeen(record: RequiredRecord, { apexName, dns }: Facts): boolean {
  const { alternatives } = record;
  if (alternatives === undefined) return false;
  const name = fullName(record, { apexName });
  return alternatives.every(({ type, value }) =>
    dns.observed.some((seen) => seen.type === type && isSame(seen.name, name) && isSame(seen.value, value)),
  );
}

/** Names are equal without regard to case and to the dot at their end (RFC 1035 §2.3.3). */
function isSame(one: string, other: string): boolean {
  const normalize = (name: string) => name.toLowerCase().replace(/\.$/, '');
  return normalize(one) === normalize(other);
}

/** A message of the API without the long values that the records above already show. */
export function shortenValues(text: string, records: readonly RequiredRecord[], replacement: string): string {
  return records
    .filter(({ value }) => value.length > 24)
    .reduce((short, { value }) => short.replaceAll(value, replacement), text);
}

interface Comparison {
  readonly expected: readonly string[];
  readonly seen: readonly string[];
}

/** The expected and the observed values of an issue, of CAA records by their names; null unless both are known. */
export function compareEvidence({ evidence }: Pick<DomainIssue, 'evidence'>): Comparison | null {
  const seen = textsOf(evidence['seen'] ?? evidence['records']);
  const expected = textsOf(evidence['expected'] ?? evidence['permitting']);
  return seen.length === 0 || expected.length === 0 ? null : { expected, seen };
}

function textsOf(value: DomainIssue['evidence'][string] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [String(value)];
}
