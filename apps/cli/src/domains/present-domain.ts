import { displayName, type CertificateChoice, type Domain } from '@pets/contracts';
import { indentedWidth, paragraphs, printable, titled } from '../terminal/format.js';
import type { Style } from '../terminal/terminal.js';
import { hang } from '../terminal/wrap.js';
import { presentChoice } from './present-certificate.js';
import { presentIssues, shortenValues } from './present-issues.js';
import { presentObserved, presentRecords } from './present-records.js';

const stateColours = { awaiting_dns: 'yellow', verified: 'cyan', live: 'green', removed: 'dim' } as const;

/** State, required records, observed records, certificate and issues. */
export function presentDomain(domain: Domain, style: Style): string {
  const { state, records, dns, issues } = domain;
  const { onStdout: paint } = style;
  const isPending = state === 'awaiting_dns' || issues.length > 0;
  const facts = factsOf(domain, style).map((fact) =>
    hang('', shortenValues(fact, records), indentedWidth(style.width)),
  );
  const title = `${paint('bold', printable(displayName(domain)))}  ${paint(stateColours[state], state)}`;
  const unsaid = dns.observed.filter(({ value }) => !issues.some(({ message }) => message.includes(value)));
  return paragraphs([
    facts.length === 0 ? title : titled(title, facts.join('\n')),
    isPending ? titled('Records to create', presentRecords(records, style)) : '',
    isPending ? titled('Seen in DNS', presentObserved(unsaid, style)) : '',
    presentChoice(domain.name, choiceOf(domain), style),
    presentIssues(issues, style, records),
  ]);
}

function factsOf(domain: Domain, { prose, time }: Style): string[] {
  const { dns, misconfigured, pendingEdges, liveAt, state, suspensions, coveredBy, exclusions, channel } = domain;
  const checked = dns.checkedAt === null ? 'not yet' : time(dns.checkedAt);
  // A check that is due runs at any moment.
  const next = dns.nextCheckAt === null ? '' : `, next check ${time(dns.nextCheckAt).replace(/^.+ ago$/, 'now')}`;
  return [
    ...(state === 'awaiting_dns' ? [`DNS checked ${checked}${next}`, ...nameServersOf(dns)] : []),
    ...(channel === null ? [] : [`serves the channel ${channel}`]),
    ...(coveredBy === null ? [] : [`covered by ${coveredBy}, which serves it where it is not served itself`]),
    ...((exclusions ?? []).length === 0 ? [] : [`does not serve ${(exclusions ?? []).map(printable).join(', ')}`]),
    ...readinessOf(domain, prose),
    ...(state === 'live' && liveAt !== null ? [`live since ${time(liveAt)}`] : []),
    ...suspensions.map(({ reason, since }) => `suspended since ${time(since)}: ${printable(reason)}`),
    ...(misconfigured ? ['misconfigured: its DNS no longer points to its target'] : []),
    ...(state === 'removed' ? [`edges that may still serve it: ${pendingEdges}`] : []),
  ];
}

/** Readiness for the switch, unless a record is wrong: nobody prepares it then. */
function readinessOf({ readiness, issues }: Domain, prose: Style['prose']): string[] {
  const isHidden = readiness?.state === 'waiting' && issues.some(({ severity }) => severity === 'error');
  return readiness === null || isHidden ? [] : [`${readiness.state}: ${printable(prose(readiness.message))}`];
}

function nameServersOf({ nameServers }: Domain['dns']): string[] {
  return nameServers.length === 0 ? [] : [`name servers ${nameServers.map(printable).join(', ')}`];
}

/** An automatic certificate is issued before it is served, at the latest when the domain is live. */
function choiceOf({ state, certificate: automatic, ownCertificate }: Domain): CertificateChoice {
  const own = ownCertificate ?? null;
  const isAutomaticServed = own?.isServed !== true && state === 'live' && automatic?.state === 'issued';
  return { source: own?.isServed === true ? 'own' : isAutomaticServed ? 'automatic' : null, own, automatic };
}
