import { displayName, type Domain, type DomainIssue, type ObservedRecord, type RequiredRecord } from '@pets/contracts';
import { indentedWidth, paragraphs, presentFacts, printable, titled } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';

/** How the output looks: its colours, and the width that it has to fit into. */
type Style = Pick<Terminal, 'onStdout' | 'width'>;

const stateColours = { awaiting_dns: 'yellow', verified: 'cyan', live: 'green', removed: 'dim' } as const;
const severityColours = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

/** State, required records, observed records, certificate and issues. */
export function presentDomain(domain: Domain, style: Style): string {
  const { state, records, dns, certificate, issues } = domain;
  const { onStdout: paint } = style;
  const isPending = state === 'awaiting_dns' || issues.length > 0;
  return paragraphs([
    [`${paint('bold', printable(displayName(domain)))}  ${paint(stateColours[state], state)}`, ...factsOf(domain)].join(
      '\n',
    ),
    isPending ? titled('Records to create', presentRecords(records, style)) : '',
    isPending ? titled('Seen in DNS', presentObserved(dns.observed, style)) : '',
    certificate === null ? '' : titled('Certificate', presentCertificate(certificate)),
    presentIssues(issues, style),
  ]);
}

/** The records to create, and below them the addresses that can be created instead of one. For `titled`. */
export function presentRecords(records: readonly RequiredRecord[], style: Style): string {
  return paragraphs([
    presentRequired(records, style),
    ...records.map((each) => presentAlternatives(each, records, style)),
  ]);
}

function presentRequired(records: readonly RequiredRecord[], style: Style): string {
  return table(
    ['TYPE', 'NAME', 'VALUE', 'TTL', 'FOR'],
    records.map(({ type, name, value, ttl, purpose, optional = false }) => [
      type,
      name,
      value,
      String(ttl),
      optional ? `${purpose} (optional)` : purpose,
    ]),
    indentedWidth(style.width),
  );
}

/** The addresses do not show whose domain it is, so the TXT record is needed with them as well. */
function presentAlternatives(
  { type, alternatives = [] }: RequiredRecord,
  records: readonly RequiredRecord[],
  style: Style,
): string {
  if (alternatives.length === 0) return '';
  const where = type === 'ALIAS' ? 'At a provider without ALIAS, create' : 'You can also create';
  const which = alternatives.length === 1 ? 'this record' : 'all of these';
  const proof = records.some(({ purpose }) => purpose === 'ownership') ? ', together with the TXT record' : '';
  const rows = alternatives.map((each) => [each.type, each.name, each.value, String(each.ttl)]);
  return [
    `${where} ${which} instead of the ${type}${proof}:`,
    table(['TYPE', 'NAME', 'VALUE', 'TTL'], rows, indentedWidth(style.width)),
  ].join('\n');
}

/** For `titled`. */
export function presentObserved(observed: readonly ObservedRecord[], style: Style): string {
  return table(
    ['TYPE', 'NAME', 'VALUE', 'TTL', 'SERVER'],
    observed.map(({ type, name, value, ttl, resolver, omitted }) => [
      type,
      name,
      omitted === undefined ? value : `${value} … and ${omitted} more`,
      ttl === null ? '' : String(ttl),
      resolver,
    ]),
    indentedWidth(style.width),
  );
}

export function presentIssues(issues: readonly DomainIssue[], { onStdout }: Style): string {
  return paragraphs(issues.map((issue) => presentIssue(issue, onStdout)));
}

function presentIssue(
  { code, title, severity, message, remediation, evidence }: DomainIssue,
  paint: Style['onStdout'],
): string {
  const facts = (['expected', 'seen'] as const).flatMap((fact) => {
    const value = evidence[fact];
    const text = typeof value === 'object' ? value.join(', ') : value;
    return text === undefined || text === '' ? [] : [`${fact.padEnd(8)}  ${printable(String(text))}`];
  });
  const lines = [printable(message), ...facts, `fix       ${printable(remediation)}`];
  return [
    `${paint(severityColours[severity], severity)}: ${printable(title)} (${code})`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

function factsOf(domain: Domain): string[] {
  const { dns, misconfigured, pendingEdges, liveAt, state, suspensions, readiness, coveredBy, exclusions } = domain;
  const checked = dns.checkedAt === null ? 'not yet' : dns.checkedAt;
  const next = dns.nextCheckAt === null ? '' : `, next check ${dns.nextCheckAt}`;
  return [
    ...(state === 'awaiting_dns' ? [`  DNS checked ${checked}${next}`, ...nameServersOf(dns)] : []),
    ...(coveredBy === null ? [] : [`  covered by ${coveredBy}, which serves it where it is not served itself`]),
    ...((exclusions ?? []).length === 0 ? [] : [`  does not serve ${(exclusions ?? []).map(printable).join(', ')}`]),
    ...(readiness === null ? [] : [`  ${readiness.state}: ${printable(readiness.message)}`]),
    ...(state === 'live' && liveAt !== null ? [`  live since ${liveAt}`] : []),
    ...suspensions.map(({ reason, since }) => `  suspended since ${since}: ${printable(reason)}`),
    ...(misconfigured ? ['  misconfigured: its DNS no longer points to its target'] : []),
    ...(state === 'removed' ? [`  edges that may still serve it: ${pendingEdges}`] : []),
  ];
}

function nameServersOf({ nameServers }: Domain['dns']): string[] {
  return nameServers.length === 0 ? [] : [`  name servers ${nameServers.map(printable).join(', ')}`];
}

function presentCertificate(certificate: NonNullable<Domain['certificate']>): string {
  const { state, method, issuer, notAfter, renewAt, attempts, nextAttemptAt, rateLimitedUntil } = certificate;
  return presentFacts([
    ['state', state],
    ['method', method],
    ['issuer', issuer],
    ['valid until', notAfter],
    ['renewal', renewAt],
    ['attempts', String(attempts)],
    ['next attempt', state === 'issued' ? null : nextAttemptAt],
    ['rate limited', rateLimitedUntil],
  ]);
}
