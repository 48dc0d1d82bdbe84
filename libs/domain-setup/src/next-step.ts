import type { SetupDomain } from '@pets/contracts';
import type { DnsProvider } from '@pets/dns-providers';
import { sentence } from './format.js';
import { hasChangedDns, type StatusFacts } from './status.js';
import { setupTexts, type SetupTexts } from './texts.js';
import { hasChanges, zoneLines, type ZoneFacts } from './zone-lines.js';

/** Facts on which the title of the next step depends. */
export type NextFacts = ZoneFacts & StatusFacts & Pick<SetupDomain, 'unicodeName'>;

/** Whether something has to be done at the DNS provider, or is not there yet. */
export function needsRecords(domain: ZoneFacts): boolean {
  return domain.state !== 'removed' && (domain.state === 'awaiting_dns' || hasChanges(zoneLines(domain)));
}

/**
 * Title that says what is next.
 * @param pending the domain and its counterpart, where they need records
 */
export function nextTitle(
  domain: NextFacts,
  pending: readonly Omit<NextFacts, 'isSuspended'>[],
  provider: DnsProvider,
  texts: SetupTexts = setupTexts,
): string {
  const { zone, next } = texts;
  const todo = pending.flatMap(zoneLines).filter(({ action }) => action !== 'keep');
  if (todo.length > 0) {
    const what = zone.recordsAt(todo.length, provider.id === 'other' ? null : provider.label);
    if (pending.every(({ state }) => state === 'live'))
      return pending.some(hasChangedDns) ? zone.titles.restore(what) : zone.titles.fix(what);
    return todo.every(({ action }) => action === 'add') ? zone.titles.create(what) : zone.titles.fix(what);
  }
  if (domain.isSuspended) return next.suspended(domain.unicodeName);
  if (domain.state === 'live') return next.live(domain.unicodeName);
  if (domain.state === 'verified') return next.certificate;
  if (domain.state === 'removed') return next.removed(domain.unicodeName);
  const [issue] = domain.issues;
  return issue === undefined ? next.checking : sentence(issue.title).slice(0, -1);
}

/** Whether a TXT record has proved the ownership and can go. */
export function hasServedProof({ ownership, records }: Pick<SetupDomain, 'ownership' | 'records'>): boolean {
  return ownership.state === 'proven' && records.some(({ purpose }) => purpose === 'ownership');
}
