import type { DomainIssue, RequiredRecord, SetupDomain } from '@pets/contracts';
import { isCause } from './status.js';
import { optionalLine, type ZoneFacts, type ZoneLine } from './zone-lines.js';

/** A record may be changed at once if caches keep it no longer than this. */
const SHORT_TTL_SECONDS = 300;

/** Facts on which a switch without an interruption depends. */
export type SwitchFacts = ZoneFacts & Pick<SetupDomain, 'readiness'>;

/** A switch without an interruption, of a name that is visited elsewhere today. */
export interface SwitchPlan {
  readonly readiness: NonNullable<SetupDomain['readiness']>;
  /** Records to create before the switch. */
  readonly lines: readonly ZoneLine[];
  /** Problems of these records. */
  readonly issues: readonly DomainIssue[];
  /** How long caches keep the records that visitors get today, in seconds; null if unknown. */
  readonly ttl: number | null;
  /** Whether that is short enough to switch. */
  readonly isTtlShort: boolean;
}

/** The plan of a switch; null where no visitor gets to another place at present, so that there is nothing to interrupt. */
export function switchPlan(domain: SwitchFacts): SwitchPlan | null {
  const { readiness, records, issues, dns } = domain;
  if (readiness === null || !isSwitch(domain)) return null;
  const ttl = longestTtl(dns);
  return {
    readiness,
    lines: records.filter(isPreparing).map((record) => optionalLine(record, domain)),
    issues: issues.filter(isOfSwitch),
    ttl,
    isTtlShort: ttl === null || ttl <= SHORT_TTL_SECONDS,
  };
}

/** Whether the card says an issue: the steps of a switch show what only concerns these. */
export function isShown(issue: DomainIssue, domain: SwitchFacts): boolean {
  return isCause(issue, domain.issues) && !(isOfSwitch(issue) && isSwitch(domain));
}

function isSwitch({ name, state, readiness, dns, issues }: SwitchFacts): boolean {
  if (readiness === null || state !== 'awaiting_dns' || name.startsWith('*.')) return false;
  // Behind a proxy there may be this very record.
  if (readiness.state === 'waiting' && issues.some(({ code }) => code === 'proxied_by_cdn')) return false;
  return readiness.state !== 'waiting' || dns.observed.some(({ type }) => type === 'A' || type === 'AAAA');
}

function isOfSwitch({ area, blocking }: DomainIssue): boolean {
  return area === 'delegation' && !blocking;
}

/** Whether a record only serves to get the certificate before the switch. */
function isPreparing({ purpose, optional }: RequiredRecord): boolean {
  return purpose === 'delegation' && optional === true;
}

function longestTtl({ observed, conflicts }: SetupDomain['dns']): number | null {
  const ttls = observed
    .filter((seen) => conflicts.some(({ type, name }) => seen.type === type && seen.name === name))
    .flatMap(({ ttl }) => ttl ?? []);
  return ttls.length === 0 ? null : Math.max(...ttls);
}
