/**
 * `pets domains doctor`: looks up the DNS of a name from this machine and evaluates it by the rules of the service
 * (`@pets/domains`). It needs no account. The expected records come from `--target`, or from the API when a key is set.
 * Without both, it shows the records and whether CAA permits the certificate authority.
 */
import { isIP } from 'node:net';
import {
  displayName,
  type CaaVerdict,
  type DnsFindings,
  type DnsLookup,
  type DomainIssue,
  type ExpectedDns,
  type RequiredRecord,
} from '@pets/contracts';
import { DnsServers, gatherCaa, gatherDns, type DnsCheck } from '@pets/dns';
import {
  describeCaa,
  evaluateCaa,
  evaluateDns,
  evaluateOwnership,
  isApexOf,
  observedRecords,
  ownershipHostFor,
  parseDomainName,
  routingRecord,
  unprovenIssues,
  type CaaPolicy,
  type DnsVerdict,
  type OwnershipVerdict,
  type ParsedName,
} from '@pets/domains';
import type { Command, CommandContext } from '../command.js';
import { needsChange } from '../domains/domain-outcome.js';
import { presentIssues, presentObserved, presentRecords } from '../domains/present-domain.js';
import { readDomain } from '../domains/watch-domain.js';
import { CommandFailure, report, usageFailure, type Report } from '../outcome/outcome.js';
import { paragraphs, printable, shellWord, titled } from '../terminal/format.js';

/** Longer than the longest check. */
const LOOKUP_TIMEOUT_MS = 20_000;

const surveyedTypes = ['CNAME', 'A', 'AAAA'] as const;

export interface DoctorOptions {
  readonly target?: string;
  readonly resolver?: string[];
  /** The names of the certificate authority in CAA records. */
  readonly ca: string[];
  readonly caAccount?: string;
}

type DomainName = Extract<ParsedName, { ok: true }>;

interface ExpectedRecords extends Expectation {
  readonly records: readonly RequiredRecord[];
}

export const doctor: Command<[name: string, options: DoctorOptions]> = async (context, typed, options) => {
  const { terminal } = context;
  const name = parseName(typed);
  const known = options.target === undefined ? await readExpected(context, name) : expectTarget(name, options.target);
  terminal.progress(`looking up ${displayName(name)}`);
  const observation = await lookUp({
    name: name.name,
    isApex: name.isApex,
    expected: known?.dns ?? null,
    resolvers: options.resolver ?? [],
  });
  const policy = { identities: options.ca, accountUrl: options.caAccount ?? null };
  const isApex = isApexOf({ ...name, zone: observation.findings.zone });
  const expectation = known === null ? null : { ...known, dns: { ...known.dns, isApex } };
  const diagnosis = diagnose({ name: name.name, ...observation }, expectation, policy);
  const { dns, ownership, caa, issues, status, reason } = diagnosis;
  const expected = known?.records ?? [];
  const observed = observedRecords(
    { ...observation.findings, lookups: [...observation.findings.lookups, ...observation.caa] },
    known?.dns.targetHost ?? '',
  );
  const nameServers = observation.findings.nameServers ?? [];
  const text = paragraphs([
    titled('Expected', presentRecords(expected, terminal)),
    titled('Seen in DNS', presentObserved(observed, terminal) || 'no records'),
    titled('Name servers', nameServers.map(printable).join('\n')),
    presentIssues(issues, terminal, expected),
  ]);
  return report(status, reason, messageOf(name.name, diagnosis), {
    ...summaryOf(name.name, diagnosis),
    result: { name: name.name, verdicts: { dns, ownership, caa }, expected, observed, nameServers },
    issues,
    next: nextOf(name.name, diagnosis),
    text,
  });
};

/** Accepts every valid DNS name. The API decides which names it accepts. */
function parseName(typed: string): DomainName {
  const parsed = parseDomainName(typed, { platformDomain: '', allowSpecialUseNames: true });
  if (!parsed.ok) throw new CommandFailure(report('refused', 'invalid_domain', parsed.reason));
  return parsed;
}

/** Nothing but the record that points to the target. */
const onlyRouting = {
  ...{ addresses: [], retiringAddresses: [], wildcardTargetHost: null, ownershipHost: null, ownershipToken: null },
  ...{ isProofByAddress: false, wwwTargetHost: null, delegation: null },
} satisfies Partial<ExpectedDns>;

function expectTarget({ name, apexName, isApex }: DomainName, target: string): ExpectedRecords {
  const parsed = parseDomainName(target, { platformDomain: '', allowSpecialUseNames: true });
  if (!parsed.ok) throw usageFailure('invalid_target', `--target is not a host name: ${parsed.reason}`);
  const targetHost = parsed.name;
  const records = [routingRecord({ name, apexName, zone: null, targetHost })];
  return { dns: { ...onlyRouting, name, isApex, targetHost }, token: null, records };
}

/** The records that the API expects; null without an account, or when the API does not know the name. */
async function readExpected(context: CommandContext, { name, isApex }: DomainName): Promise<ExpectedRecords | null> {
  const { settings, terminal } = context;
  if (settings.apiUrl === null || settings.apiKey === null) return null;
  try {
    const { records, ownership } = await readDomain(context.api, {
      projectId: await context.findProjectId(),
      domain: name,
    });
    const routing = records.find(({ purpose }) => purpose === 'routing');
    if (routing === undefined) return null;
    const ownershipToken = ownership.record?.value ?? null;
    const ownershipHost = ownershipToken === null ? null : ownershipHostFor(name);
    // Resolvers may return other addresses of the target here than where the provider of the name looks.
    const addresses = routing.alternatives?.map(({ value }) => value) ?? [];
    return {
      dns: { ...onlyRouting, name, isApex, targetHost: routing.value, ownershipHost, ownershipToken, addresses },
      token: ownershipToken,
      records,
    };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error; // the diagnosis is useful without them
    terminal.progress(`could not read the expected records: ${error.message}`);
    return null;
  }
}

function messageOf(name: string, { status, dns, caa, issues }: Diagnosis): string {
  if (status !== 'done') return issues[0]?.message ?? `The DNS of ${name} is not correct.`;
  const authority = caa === 'permits' ? 'CAA permits the certificate authority' : 'CAA could not be checked';
  if (dns === null) return `${authority}. Pass --target HOST to check the records of ${name}.`;
  return `${name} points to its target, and ${authority}.`;
}

/** The text has the message of the first issue. */
function summaryOf(name: string, { status, issues: [first] }: Diagnosis): Pick<Report, 'summary'> {
  if (status === 'done' || first === undefined) return {};
  const what = status === 'unavailable' ? 'could not be checked' : 'is not as expected';
  return { summary: `The DNS of ${name} ${what}: ${first.title}.` };
}

function nextOf(name: string, { status, dns }: Diagnosis): Report['next'] {
  if (status === 'done' && dns === 'matches')
    return [{ command: `pets domains verify ${shellWord(name)}`, when: 'if the domain is not verified yet' }];
  return status === 'done'
    ? []
    : [{ command: `pets domains doctor ${shellWord(name)}`, when: 'after you fix the records' }];
}

interface LookupOptions {
  readonly name: string;
  readonly isApex: boolean;
  /** Null: look up all record types. */
  readonly expected: ExpectedDns | null;
  /** `address` or `address:port`; empty for the resolvers of the system. */
  readonly resolvers: readonly string[];
}

interface LookupResult {
  readonly findings: DnsFindings;
  readonly caa: readonly DnsLookup[];
}

/** Looks up the records of the name, and CAA up to the top-level domain. */
async function lookUp({ name, isApex, expected, resolvers }: LookupOptions): Promise<LookupResult> {
  const servers = new DnsServers({
    ...(resolvers.length > 0 && { resolvers: resolvers.map(checkResolver) }),
    allowPrivateAuthoritative: false,
  });
  try {
    const check = servers.open(AbortSignal.timeout(LOOKUP_TIMEOUT_MS));
    const [findings, caa] = await Promise.all([
      expected === null ? survey(check, name) : gatherDns(check, expected, new Date()),
      gatherCaa(check, expected ?? { name, isApex }),
    ]);
    return { findings, caa };
  } finally {
    servers.close();
  }
}

async function survey(check: DnsCheck, name: string): Promise<DnsFindings> {
  const [{ names }, ...lookups] = await Promise.all([
    check.zoneServersOf(name),
    ...check.resolvers.flatMap((server) => surveyedTypes.map((type) => server.query(name, type))),
  ]);
  const nameServers = names.length > 0 ? [...names] : null;
  return { checkedAt: new Date().toISOString(), lookups, nameServers, zone: null };
}

/** @throws CommandFailure `usage` */
function checkResolver(text: string): string {
  const { v6, bare, port } = /^(?:\[(?<v6>[^\]]+)\]|(?<bare>.+?))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  const isAddress = isIP(text) !== 0 || isIP(v6 ?? '') === 6 || isIP(bare ?? '') === 4;
  const isPort = port === undefined || isIP(text) === 6 || (Number(port) > 0 && Number(port) < 65_536);
  if (isAddress && isPort) return text;
  throw usageFailure(
    'invalid_resolver',
    `Invalid --resolver ${text}: use an address such as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53.`,
  );
}

/** The expected DNS of a name. */
interface Expectation {
  readonly dns: ExpectedDns;
  /** The value of the ownership TXT record; null when none is required. */
  readonly token: string | null;
}

/** The DNS of a name as this machine sees it. */
interface Observation {
  readonly name: string;
  readonly findings: DnsFindings;
  readonly caa: readonly DnsLookup[];
}

interface Diagnosis extends Pick<Report, 'status' | 'reason'> {
  /** Null without an expectation. */
  readonly dns: DnsVerdict['kind'] | null;
  readonly ownership: OwnershipVerdict['kind'] | null;
  readonly caa: CaaVerdict['kind'];
  readonly issues: readonly DomainIssue[];
}

/** Evaluates the observed DNS by the rules of the service. */
function diagnose({ name, findings, caa }: Observation, expected: Expectation | null, policy: CaaPolicy): Diagnosis {
  const dns = expected === null ? null : evaluateDns(findings, expected.dns);
  const proof = expected === null ? null : evaluateProof(findings, expected);
  const caaVerdict = evaluateCaa(caa, name, policy);
  const issues = [
    ...(dns === null ? [] : issuesOf(dns)),
    ...(proof?.issues ?? []),
    ...(caaVerdict.kind === 'permits' ? [] : [describeCaa(caaVerdict)]),
  ];
  const verdicts = { dns: dns?.kind ?? null, ownership: proof?.kind ?? null, caa: caaVerdict.kind };
  return { ...verdicts, issues, ...concludeFrom(verdicts, issues) };
}

function concludeFrom(
  { dns, ownership, caa }: Pick<Diagnosis, 'dns' | 'ownership' | 'caa'>,
  issues: readonly DomainIssue[],
): Pick<Report, 'status' | 'reason'> {
  const refusal = issues.find(needsChange);
  if (refusal !== undefined) return { status: 'refused', reason: refusal.code };
  const [first] = issues;
  if (dns === 'mismatch' || ownership === 'refuted') return { status: 'not_yet', reason: first?.code ?? 'no_record' };
  if ([dns, ownership, caa].includes('unknown')) return { status: 'unavailable', reason: 'resolver_failed' };
  return dns === null ? { status: 'done', reason: 'nothing_expected' } : { status: 'done', reason: 'dns_matches' };
}

function issuesOf(verdict: DnsVerdict): readonly DomainIssue[] {
  return verdict.kind === 'matches' ? (verdict.notes ?? []) : verdict.issues;
}

function evaluateProof(
  findings: DnsFindings,
  { dns: { ownershipHost: host }, token }: Expectation,
): { kind: OwnershipVerdict['kind']; issues: readonly DomainIssue[] } | null {
  if (host === null || token === null) return null;
  const verdict = evaluateOwnership(findings, host, token);
  return { kind: verdict.kind, issues: unprovenIssues({ verdict, host, token }) };
}
