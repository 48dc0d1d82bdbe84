import { isWildcard, type CaaVerdict, type ChallengeMethod, type DnsLookup, type DomainIssue } from '@pets/contracts';
import { preferAuthority } from '../dns/dns-views.js';
import { bogusErrorOf, bogusIssue, bogusLookups, type BogusLookup } from '../dns/evaluate-dnssec.js';
import { parentOf } from '../dns/probes.js';
import { truncateList } from '../dns/truncate.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { baseNameOf } from '../names/wildcard-name.js';

/** The CA that would issue, as CAA records name it. */
export interface CaaPolicy {
  /** Issuer domain names of the CA (RFC 8555 §7.1.1 `caaIdentities`). */
  readonly identities: readonly string[];
  /** Our account at the CA; null while there is none, which matches no `accounturi`. */
  readonly accountUrl: string | null;
  /** How the CA would check that we control the name (RFC 8657 §4); by default `http-01`. */
  readonly method?: ChallengeMethod;
}

/**
 * Whether CAA records allow the CA to issue for a name. RFC 8659 §3: climb from the name towards the root
 * until the first non-empty record set, which alone decides. At each step, a CNAME is followed for the record set, but the
 * climb continues from the name itself. A failed lookup results in `unknown`, which never allows issuance. Authoritative
 * servers take precedence over resolvers; if servers disagree, the strictest answer counts.
 */
export function evaluateCaa(lookups: readonly DnsLookup[], name: string, policy: CaaPolicy): CaaVerdict {
  const verdicts: CaaVerdict[] = [];
  const bogus = bogusLookups(lookups, name);
  const tags = isWildcard(name) ? wildcardTags : plainTags;
  for (let at = baseNameOf(name); at !== ''; at = parentOf(at)) {
    const step = evaluateStep(
      lookups.filter((lookup) => lookup.type === 'CAA' && lookup.name === at),
      at,
      { ...policy, tags },
      bogus,
    );
    verdicts.push(...step.verdicts);
    if (!step.isEmptySomewhere) break;
  }
  return (
    verdicts.find(({ kind }) => kind === 'forbids') ??
    verdicts.find(({ kind }) => kind === 'unknown') ?? { kind: 'permits' }
  );
}

interface Step {
  readonly verdicts: readonly CaaVerdict[];
  /** Whether a server has no record set here, so that the climb continues. */
  readonly isEmptySomewhere: boolean;
}

function evaluateStep(
  lookups: readonly DnsLookup[],
  at: string,
  policy: TaggedPolicy,
  bogus: readonly BogusLookup[],
): Step {
  const stop = (verdict: CaaVerdict): Step => ({ verdicts: [verdict], isEmptySomewhere: false });
  if (lookups.length === 0) return stop({ kind: 'unknown', at, error: 'CAA was not looked up', failures: [] });
  // A record set exists whose content is unknown. No answer of another server can replace it.
  const tooLarge = lookups.map(tooLargeAt).find((verdict) => verdict !== null);
  if (tooLarge !== undefined) return stop(tooLarge);
  // Broken DNSSEC is visible only at validating resolvers, which CAs use. One is enough where the zone is at fault.
  const broken = bogus.filter((lookup) => lookups.includes(lookup)).map(bogusErrorOf);
  if (broken.length > 0) return stop({ kind: 'unknown', at, error: broken.join(', '), failures: [], isBogus: true });
  const resolvers = lookups.filter(({ isAuthoritative }) => !isAuthoritative);
  const failures = failuresOf(lookups);
  const errors = resolvers.flatMap(({ answer }) => (answer.kind === 'failed' ? [answer.error] : []));
  if (resolvers.length > 0 && errors.length === resolvers.length)
    return stop({ kind: 'unknown', at, error: errors.join(', '), failures });

  const deciding = preferAuthority(lookups);
  const verdicts = deciding.flatMap(({ answer, alias }): CaaVerdict[] => {
    switch (answer.kind) {
      case 'failed':
        return [{ kind: 'unknown', at, error: answer.error, failures }];
      case 'found':
        return [evaluateSet(answer.records.map(valueOf), alias ?? at, policy)];
      case 'absent':
        return [];
    }
  });
  return { verdicts, isEmptySomewhere: deciding.some(({ answer }) => answer.kind === 'absent') };
}

/** The servers that gave no answer, those of the zone first: they are the owner's. */
function failuresOf(lookups: readonly DnsLookup[]): string[] {
  const failed = lookups.flatMap(({ server, answer, isAuthoritative }) =>
    answer.kind === 'failed' ? [{ text: `${server}: ${answer.error}`, isAuthoritative }] : [],
  );
  const sorted = [...failed.filter(({ isAuthoritative }) => isAuthoritative), ...failed];
  return [...truncateList([...new Set(sorted.map(({ text }) => text))])];
}

function tooLargeAt({ answer, alias, name }: DnsLookup): CaaVerdict | null {
  if (answer.kind !== 'failed' || answer.reason === undefined) return null;
  return { kind: 'unknown', at: alias ?? name, error: answer.error, failures: [], reason: answer.reason };
}

/** The tags that decide on a name: the first one that a record set has. */
type IssuerTags = readonly [string, ...string[]];
interface TaggedPolicy extends CaaPolicy {
  readonly tags: IssuerTags;
}
const plainTags: IssuerTags = ['issue'];
/** RFC 8659 §4.3: for a wildcard, `issuewild` replaces `issue`, which decides only in a set without `issuewild`. */
const wildcardTags: IssuerTags = ['issuewild', 'issue'];

/** The tags that CAs know. Some do not apply to the name, and the critical flag of those changes nothing. */
const knownTags = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc']);

/** RFC 8659 §4.1: bit 0, the highest one, is the critical flag. CAs also accept the lowest bit, a usual mistake. */
const CRITICAL_BITS = 0x81;

function evaluateSet(records: readonly string[], at: string, policy: TaggedPolicy): CaaVerdict {
  const properties = records.map((record) => ({ record, property: parseCaaProperty(record) }));
  const [identity] = policy.identities;
  if (identity === undefined)
    return { kind: 'unknown', at, error: 'the CA does not publish its name for CAA records', failures: [] };

  // RFC 8659 §4.1: an unknown property with the critical flag forbids issuance, regardless of the other records.
  const blocking = properties.filter(({ property }) => property === null || isCriticalUnknown(property));
  const tag = policy.tags.find((each) => properties.some(({ property }) => property?.tag === each));
  const issuers = properties.flatMap(({ property }) =>
    property !== null && property.tag === tag ? [property.value] : [],
  );
  // RFC 8659 §4.2: a set without such a property does not restrict issuance.
  const isPermitted = issuers.length === 0 || issuers.some((value) => authorizes(value, policy));
  if (isPermitted && blocking.length === 0) return { kind: 'permits' };
  return {
    kind: 'forbids',
    at,
    records: [...truncateList(records)],
    permitting: `${at}. CAA 0 ${tag ?? 'issue'} "${identity}"`,
    ...(blocking.length > 0 && { blocking: [...truncateList(blocking.map(({ record }) => record))] }),
  };
}

function isCriticalUnknown({ flags, tag }: CaaProperty): boolean {
  return !knownTags.has(tag) && (flags & CRITICAL_BITS) !== 0;
}

/** RFC 8657 §4: names of validation methods, separated by commas. */
const methodsPattern = /^[A-Za-z0-9-]+(?:,[A-Za-z0-9-]+)*$/;

/** Evaluates the parameters of RFC 8657. A repeated parameter permits nothing; unknown parameters are ignored. */
function authorizes(text: string, policy: CaaPolicy): boolean {
  const issuer = parseCaaIssuer(text);
  if (issuer === null) return false;
  if (!policy.identities.some((identity) => identity.toLowerCase() === issuer.domain.toLowerCase())) return false;
  const valuesOf = (tag: string) =>
    issuer.parameters.flatMap((parameter) => (parameter.tag === tag ? [parameter.value] : []));
  const accounts = valuesOf('accounturi');
  const methods = valuesOf('validationmethods');
  return (
    accounts.length <= 1 &&
    accounts.every((account) => account === policy.accountUrl) &&
    methods.length <= 1 &&
    methods.every((list) => methodsPattern.test(list) && list.split(',').includes(policy.method ?? 'http-01'))
  );
}

function valueOf({ value }: { value: string }): string {
  return value;
}

/** The issue for a CAA verdict that does not permit issuance. */
export function describeCaa(verdict: Exclude<CaaVerdict, { kind: 'permits' }>): DomainIssue {
  if (verdict.kind === 'forbids') {
    const { at, records, permitting, blocking } = verdict;
    return describeIssue('caa_forbids', { at, records, permitting, ...(blocking && { blocking }) });
  }
  const { at, error, failures, reason, isBogus } = verdict;
  if (reason === 'too_large') return describeIssue('caa_too_large', { at, error });
  if (isBogus) return bogusIssue(at, [error]);
  const isUnanswered = failures.length > 0;
  const errors = [`CAA at ${at}: ${isUnanswered ? failures.join(', ') : error}`];
  return describeIssue('resolver_failed', { errors, ...(isUnanswered && { at, servers: failures }) });
}

/** A CAA record, parsed from presentation form: `0 issue "ca.example"`. */
interface CaaProperty {
  readonly flags: number;
  /** In lower case: matching of tags is case insensitive (RFC 8659 §4.1). */
  readonly tag: string;
  readonly value: string;
}

/** The value of an `issue` property. */
interface CaaIssuer {
  /** Empty if no CA may issue. */
  readonly domain: string;
  readonly parameters: readonly { readonly tag: string; readonly value: string }[];
}

/** Parses a record; null if it is not a CAA record. Takes linear time, since anybody can publish 64 KB of text. */
export function parseCaaProperty(record: string): CaaProperty | null {
  const match = /^(\d{1,3})[ \t]+([^ \t]+)[ \t]+/.exec(record);
  if (match === null) return null;
  const [prefix, flags, tag] = [match[0], Number(match[1]), String(match[2])];
  if (flags > 255) return null;
  return { flags, tag: tag.toLowerCase(), value: unescaped(unquoted(record.slice(prefix.length))) };
}

/**
 * Parses RFC 8659 §4.2 `issuer-domain-name *(";" parameter)` as strictly as CAs do: white space is spaces and tabs, tags have
 * only letters and digits (the RFC also allows hyphens), and a final semicolon is valid only directly after the domain.
 * @returns null for a malformed value, which permits nothing
 */
export function parseCaaIssuer(text: string): CaaIssuer | null {
  const [domain = text, ...rest] = text.split(';').map(trimmed);
  if (rest.length === 1 && rest[0] === '') return { domain, parameters: [] };
  const parameters = rest.map(parseParameter);
  return parameters.every((parameter) => parameter !== null) ? { domain, parameters } : null;
}

function parseParameter(text: string): CaaIssuer['parameters'][number] | null {
  const equals = text.indexOf('=');
  const tag = trimmed(text.slice(0, Math.max(0, equals)));
  const value = trimmed(text.slice(equals + 1));
  return /^[A-Za-z0-9]+$/.test(tag) && /^[\x21-\x7e]*$/.test(value) ? { tag: tag.toLowerCase(), value } : null;
}

function trimmed(text: string): string {
  return text.replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, text.endsWith('"') ? -1 : undefined) : text;
}

/** RFC 1035 §5.1: `\` and three digits encode a character by its number; `\` and another character is that character. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:(\d{3})|[^])/g, (escape, code: string | undefined) =>
    code === undefined ? escape.slice(1) : String.fromCharCode(Number(code)),
  );
}

/** After this, servers that do not answer questions for CAA are the owner's to repair. */
const UNANSWERED_MS = 60 * 60_000;

/** Whether an issue is about servers that gave no answer for CAA. The evidence `at` has the name that was asked for. */
function isUnanswered({ code, evidence }: DomainIssue): boolean {
  return code === 'caa_unanswered' || (code === 'resolver_failed' && evidence['at'] !== undefined);
}

/** Whether an issue is the outcome of a CAA check, so that the next check replaces it. */
export function isCaaIssue(issue: DomainIssue): boolean {
  const codes = ['caa_forbids', 'caa_too_large', 'dnssec_broken'];
  return codes.includes(issue.code) || isUnanswered(issue);
}

/**
 * Adds to the issues of a check since when CAA has not been answered, and turns the warning into an error after an hour: many
 * name servers never answer that type, and without an answer no CA issues (RFC 8659 §3).
 * @param known the issues of the check before
 */
export function ageUnansweredCaa(
  issues: readonly DomainIssue[],
  known: readonly DomainIssue[],
  now: Date,
): readonly DomainIssue[] {
  const since = String(known.find(isUnanswered)?.evidence['since'] ?? now.toISOString());
  const code = now.getTime() - Date.parse(since) >= UNANSWERED_MS ? 'caa_unanswered' : 'resolver_failed';
  return issues.map((issue) => (isUnanswered(issue) ? describeIssue(code, { ...issue.evidence, since }) : issue));
}
