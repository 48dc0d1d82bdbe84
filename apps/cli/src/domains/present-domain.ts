import {
  displayName,
  type CertificateChoice,
  type Domain,
  type DomainCertificate,
  type DomainIssue,
  type ObservedRecord,
  type OwnCertificate,
  type RequiredRecord,
} from '@pets/contracts';
import {
  hang,
  indentedWidth,
  paragraphs,
  presentFacts,
  printable,
  shellWord,
  titled,
  type Facts,
} from '../terminal/format.js';
import { table } from '../terminal/table.js';
import type { Style } from '../terminal/terminal.js';

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
  const { dns, misconfigured, pendingEdges, liveAt, state, suspensions, coveredBy, exclusions } = domain;
  const checked = dns.checkedAt === null ? 'not yet' : time(dns.checkedAt);
  // A check that is due runs at any moment.
  const next = dns.nextCheckAt === null ? '' : `, next check ${time(dns.nextCheckAt).replace(/^.+ ago$/, 'now')}`;
  return [
    ...(state === 'awaiting_dns' ? [`DNS checked ${checked}${next}`, ...nameServersOf(dns)] : []),
    ...contentOf(domain),
    ...(coveredBy === null ? [] : [`covered by ${coveredBy}, which serves it where it is not served itself`]),
    ...((exclusions ?? []).length === 0 ? [] : [`does not serve ${(exclusions ?? []).map(printable).join(', ')}`]),
    ...readinessOf(domain, prose),
    ...(state === 'live' && liveAt !== null ? [`live since ${time(liveAt)}`] : []),
    ...suspensions.map(({ reason, since }) => `suspended since ${time(since)}: ${printable(reason)}`),
    ...(misconfigured ? ['misconfigured: its DNS no longer points to its target'] : []),
    ...(state === 'removed' ? [`edges that may still serve it: ${pendingEdges}`] : []),
  ];
}

/** Names what the domain serves, unless it is what its project serves. */
function contentOf({ name, channel, originId }: Domain): string[] {
  return [
    ...(originId === null ? [] : [`has its own application: pets origin show --domain ${shellWord(name)}`]),
    ...(channel === null ? [] : [`serves the channel ${channel}${originId === null ? '' : ' without it'}`]),
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
    'VALUE',
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
    hang('', `${where} ${which} instead of the ${type}${proof}:`, indentedWidth(style.width)),
    table(['TYPE', 'NAME', 'VALUE', 'TTL'], rows, indentedWidth(style.width), 'VALUE'),
  ].join('\n');
}

/** A row for each record, with all servers that returned it. For `titled`. */
export function presentObserved(observed: readonly ObservedRecord[], style: Style): string {
  const groups = new Map<string, ObservedRecord[]>();
  for (const each of observed) {
    const key = JSON.stringify([each.type, each.name, each.value]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const rows = [...groups.values()].flatMap((same) => same.slice(0, 1).map((first) => rowOf(first, same)));
  return table(['TYPE', 'NAME', 'VALUE', 'TTL', 'SERVER'], rows, indentedWidth(style.width), 'VALUE');
}

function rowOf({ type, name, value, omitted }: ObservedRecord, same: readonly ObservedRecord[]): readonly string[] {
  const ttls = same.flatMap(({ ttl }) => (ttl === null ? [] : [ttl]));
  const [least, most] = [Math.min(...ttls), Math.max(...ttls)];
  return [
    type,
    name,
    omitted === undefined ? value : `${value} … and ${omitted} more`,
    ttls.length === 0 ? '' : least === most ? String(most) : `${least}–${most}`,
    same.map(({ resolver }) => resolver).join(', '),
  ];
}

const severityColours = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

/**
 * Presents what is wrong, and what to do.
 * @param records that are shown beside the issues; the texts have their values in short form
 */
export function presentIssues(
  issues: readonly DomainIssue[],
  style: Style,
  records: readonly RequiredRecord[] = [],
): string {
  return paragraphs(issues.map((issue) => presentIssue(issue, style, records)));
}

function presentIssue(issue: DomainIssue, style: Style, records: readonly RequiredRecord[]): string {
  const { code, title, severity, message, remediation } = issue;
  const width = indentedWidth(style.width);
  const labelled: readonly (readonly [label: string, text: string])[] = [...factsOfIssue(issue), ['fix', remediation]];
  const labelWidth = Math.max(...labelled.map(([label]) => label.length)) + 2;
  const line = (label: string, text: string) =>
    hang(label, printable(style.prose(shortenValues(text, records))), width);
  return titled(
    `${style.onStdout(severityColours[severity], severity)}: ${printable(title)} (${code})`,
    [line('', message), ...labelled.map(([label, text]) => line(label.padEnd(labelWidth), text))].join('\n'),
  );
}

/** The expected and the seen values, unless the sentences say them. */
function factsOfIssue({ message, remediation, evidence }: DomainIssue): (readonly [label: string, text: string])[] {
  return (['expected', 'seen'] as const).flatMap((fact) => {
    const value = evidence[fact];
    const values = (typeof value === 'object' ? value : [String(value ?? '')]).filter((each) => each !== '');
    const isSaid = values.every((each) => message.includes(each) || remediation.includes(each));
    return isSaid ? [] : [[fact, values.join(', ')] as const];
  });
}

/** Enough of a token to find it in the table of records. */
const SHOWN_CHARACTERS = 8;

/** A first label that nobody types. */
const token = /^[^.]{20,}/;

/** Shortens the values of records that are shown completely elsewhere: `52487ee7….cname.pets.example`. */
function shortenValues(text: string, records: readonly RequiredRecord[]): string {
  return records.reduce(
    (rest, { value }) =>
      rest.replaceAll(
        value,
        value.replace(token, (label) => `${label.slice(0, SHOWN_CHARACTERS)}…`),
      ),
    text,
  );
}

/** Presents both certificates of a domain, the one that visitors get first. */
export function presentChoice(name: string, { source, own, automatic }: CertificateChoice, style: Style): string {
  const ofOwn = own === null ? '' : titledFacts('Own certificate', source === 'own', factsOfOwn(own, style), style);
  const ofAutomatic =
    automatic === null
      ? ''
      : titledFacts('Automatic certificate', source === 'automatic', factsOfAutomatic(name, automatic, style), style);
  return paragraphs(source === 'automatic' ? [ofAutomatic, ofOwn] : [ofOwn, ofAutomatic]);
}

function titledFacts(title: string, isServed: boolean, facts: Facts, { width }: Style): string {
  return titled(isServed ? `${title} (visitors get it)` : title, presentFacts(facts, indentedWidth(width)));
}

function factsOfOwn(own: OwnCertificate, { time }: Style): Facts {
  return [
    ['state', own.state],
    ['names', own.names.join(', ')],
    ['issuer', own.issuer],
    ['valid until', time(own.notAfter)],
    ['fingerprint', own.fingerprint],
    ['trust', own.trust],
    ['preferred', own.prefer],
    ['revocation', own.revocation.detail ?? own.revocation.result],
  ];
}

/** Facts of an ordered certificate, which is for the name alone. */
function factsOfAutomatic(name: string, certificate: DomainCertificate, { time }: Style): Facts {
  const { state, method, issuer, notAfter, renewAt, attempts, nextAttemptAt, rateLimitedUntil } = certificate;
  return [
    ['state', state],
    ['names', issuer === null ? null : name],
    ['issuer', issuer],
    ['valid until', notAfter && time(notAfter)],
    ['method', method],
    ['renewal', renewAt && time(renewAt)],
    ['attempts', String(attempts)],
    ['next attempt', state === 'issued' ? null : nextAttemptAt && time(nextAttemptAt)],
    ['rate limited', rateLimitedUntil && time(rateLimitedUntil)],
  ];
}
