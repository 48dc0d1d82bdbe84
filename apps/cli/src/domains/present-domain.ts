import { displayName, type Domain, type DomainIssue, type ObservedRecord, type RequiredRecord } from '@pets/contracts';
import { printable } from '../terminal/printable.js';
import { table } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';

type Paint = Terminal['onStdout'];

const stateColours = { awaiting_dns: 'yellow', verified: 'cyan', live: 'green', removed: 'dim' } as const;
const severityColours = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

/** A domain as a person reads it: where it stands, what to create, what was seen, and what is in the way. */
export function presentDomain(domain: Domain, paint: Paint): string {
  const { state, records, dns, certificate, issues } = domain;
  const isPending = state === 'awaiting_dns' || issues.length > 0;
  return paragraphs([
    [`${paint('bold', printable(displayName(domain)))}  ${paint(stateColours[state], state)}`, ...factsOf(domain)].join(
      '\n',
    ),
    isPending ? titled('Records to create', presentRecords(records)) : '',
    isPending ? titled('Seen in DNS', presentObserved(dns.observed)) : '',
    certificate === null ? '' : titled('Certificate', presentCertificate(certificate)),
    presentIssues(issues, paint),
  ]);
}

/** The records that the owner has to create. */
export function presentRecords(records: readonly RequiredRecord[]): string {
  return table(
    ['TYPE', 'NAME', 'VALUE', 'TTL', 'FOR'],
    records.map(({ type, name, value, ttl, purpose }) => [type, name, value, String(ttl), purpose]),
  );
}

/** The records that name servers gave. */
export function presentObserved(observed: readonly ObservedRecord[]): string {
  return table(
    ['TYPE', 'NAME', 'VALUE', 'TTL', 'SERVER'],
    observed.map(({ type, name, value, ttl, resolver, omitted }) => [
      type,
      name,
      omitted === undefined ? value : `${value} … and ${omitted} more`,
      ttl === null ? '' : String(ttl),
      resolver,
    ]),
  );
}

/** Each issue with what was expected, what was seen, and the fix. */
export function presentIssues(issues: readonly DomainIssue[], paint: Paint): string {
  return paragraphs(issues.map((issue) => presentIssue(issue, paint)));
}

/** Blocks of lines with a blank line between; empty ones are left out. */
export function paragraphs(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** A block below its title; nothing where there is no block. */
export function titled(title: string, block: string): string {
  return block === '' ? '' : `${title}\n${block.replaceAll(/^/gm, '  ')}`;
}

function presentIssue({ code, severity, message, remediation, evidence }: DomainIssue, paint: Paint): string {
  const facts = (['expected', 'seen'] as const).flatMap((fact) => {
    const value = evidence[fact];
    const text = typeof value === 'object' ? value.join(', ') : value;
    return text === undefined || text === '' ? [] : [`${fact.padEnd(8)}  ${printable(String(text))}`];
  });
  const lines = [printable(message), ...facts, `fix       ${printable(remediation)}`];
  return [`${paint(severityColours[severity], severity)}: ${code}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function factsOf({ dns, misconfigured, pendingEdges, liveAt, state, suspensions }: Domain): string[] {
  const checked = dns.checkedAt === null ? 'not yet' : dns.checkedAt;
  const next = dns.nextCheckAt === null ? '' : `, next check ${dns.nextCheckAt}`;
  return [
    ...(state === 'awaiting_dns' ? [`  DNS checked ${checked}${next}`, ...nameServersOf(dns)] : []),
    ...(state === 'live' && liveAt !== null ? [`  live since ${liveAt}`] : []),
    ...suspensions.map(({ reason, since }) => `  suspended since ${since}: ${printable(reason)}`),
    ...(misconfigured ? ['  misconfigured: its DNS no longer points to its target'] : []),
    ...(state === 'removed' ? [`  edges that may still serve it: ${pendingEdges}`] : []),
  ];
}

/** At whom the records are made. */
function nameServersOf({ nameServers }: Domain['dns']): string[] {
  return nameServers.length === 0 ? [] : [`  name servers ${nameServers.map(printable).join(', ')}`];
}

function presentCertificate(certificate: NonNullable<Domain['certificate']>): string {
  const { state, issuer, notAfter, renewAt, attempts, nextAttemptAt, rateLimitedUntil } = certificate;
  const facts: [string, string | null][] = [
    ['state', state],
    ['issuer', issuer],
    ['valid until', notAfter],
    ['renewal', renewAt],
    ['attempts', String(attempts)],
    ['next attempt', state === 'issued' ? null : nextAttemptAt],
    ['rate limited', rateLimitedUntil],
  ];
  return facts
    .flatMap(([label, value]) => (value === null ? [] : [`${label.padEnd(15)} ${printable(value)}`]))
    .join('\n');
}
