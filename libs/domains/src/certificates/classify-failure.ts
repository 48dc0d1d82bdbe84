import {
  CHALLENGE_NOT_PUBLISHED,
  RATE_LIMITED,
  type CaProblem,
  type DomainEvents,
  type DomainIssue,
  type ExpectedDns,
  type FailureClass,
  type PreflightFindings,
} from '@pets/contracts';
import { evaluateDelegation, shadowedIssue } from '../dns/evaluate-delegation.js';
import { evaluateDns } from '../dns/evaluate-dns.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { baseNameOf } from '../names/wildcard-name.js';
import type { Blocker } from './choose-ca.js';
import { describeCaa } from './evaluate-caa.js';

export interface ClassifiedFailure {
  readonly class: FailureClass;
  readonly issues: readonly DomainIssue[];
  /** The retry time of the CA; null if it named none. */
  readonly retryAt: Date | null;
}

type Failure = DomainEvents['certificate.failed'];

const ACME = 'urn:ietf:params:acme:error:';

/** RFC 8555 §6.7 error types that the owner of the name can fix. */
const userTypes = new Set(
  ['caa', 'connection', 'dns', 'incorrectResponse', 'tls', 'unauthorized'].map((type) => ACME + type),
);
const permanentTypes = new Set(['rejectedIdentifier', 'unsupportedIdentifier'].map((type) => ACME + type));

/** Classifies a failed attempt: by the preflight findings if an own check failed, else by the problem document of the CA. */
export function classifyFailure(failure: Failure, expected: ExpectedDns): ClassifiedFailure {
  return failure.stage === 'gate' && failure.gate !== null
    ? classifyPreflight(failure.gate, expected)
    : classifyProblem(failure.problem ?? { type: null, detail: 'no answer', status: null, retryAt: null });
}

/** The findings are those of the preferred method. Every method has failed its preflight. */
function classifyPreflight(findings: NonNullable<Failure['gate']>, expected: ExpectedDns): ClassifiedFailure {
  const [method] = findings.methods;
  const failure = method === 'dns-01' ? classifyDelegation(findings, expected) : classifyPointing(findings, expected);
  if (failure !== null) return failure;
  if (findings.caa !== null && findings.caa.kind !== 'permits') {
    const { caa } = findings;
    const isOwners = caa.kind === 'forbids' || caa.reason !== undefined || caa.isBogus === true;
    return { class: isOwners ? 'user' : 'passing', issues: [describeCaa(findings.caa)], retryAt: null };
  }
  if (method === 'dns-01') {
    const error = findings.challengeError ?? 'unknown';
    return { class: 'passing', issues: [describeIssue('challenge_not_published', { error })], retryAt: null };
  }
  const errors = findings.reachability.flatMap(({ address, error }) =>
    error === null ? [] : [`${address}: ${error}`],
  );
  return {
    class: 'passing',
    issues: [describeIssue('http_unreachable', { name: expected.name, errors })],
    retryAt: null,
  };
}

/** HTTP-01 needs a name that points here. Null if it does. */
function classifyPointing({ dns: findings }: PreflightFindings, expected: ExpectedDns): ClassifiedFailure | null {
  const dns = evaluateDns(findings, expected);
  if (dns.kind === 'unknown') {
    const isBroken = dns.issues.some(({ code }) => code === 'dnssec_broken');
    return { class: isBroken ? 'user' : 'passing', issues: dns.issues, retryAt: null };
  }
  if (dns.kind === 'matches') return null;
  const lost = describeIssue('dns_lost', { name: expected.name, expected: expected.targetHost });
  return { class: 'user', issues: [lost, ...dns.issues], retryAt: null };
}

/** DNS-01 needs the delegation. Null if it is there. */
function classifyDelegation({ dns }: PreflightFindings, { name, delegation }: ExpectedDns): ClassifiedFailure | null {
  if (delegation === null) return null;
  const { host, target: expected } = delegation;
  const verdict = evaluateDelegation(dns, delegation);
  if (verdict.kind === 'delegated') return null;
  if (verdict.kind === 'unknown')
    return { class: 'passing', issues: [describeIssue('resolver_failed', { errors: [verdict.error] })], retryAt: null };
  if (verdict.kind === 'partial') {
    const stale = [...verdict.lacking];
    return { class: 'user', issues: [describeIssue('delegation_propagating', { name, host, stale })], retryAt: null };
  }
  if (verdict.kind === 'shadowed')
    return { class: 'user', issues: [shadowedIssue(verdict, delegation, name)], retryAt: null };
  return { class: 'user', issues: [describeIssue('delegation_lost', { name, host, expected })], retryAt: null };
}

/** Whether a CA refuses because of too many requests. */
export function limitsRate({ type, status }: Pick<CaProblem, 'type' | 'status'>): boolean {
  return type === RATE_LIMITED || status === 429;
}

function classifyProblem(problem: CaProblem): ClassifiedFailure {
  const { type, detail, retryAt } = problem;
  const until = retryAt === null ? null : new Date(retryAt);
  if (limitsRate(problem)) {
    return {
      class: 'rate',
      issues: [describeIssue('ca_rate_limited', { detail, until: retryAt ?? 'a later time' })],
      retryAt: until,
    };
  }
  // As `user`, since it is not the CA that failed: another one would not get an answer either.
  if (type === CHALLENGE_NOT_PUBLISHED)
    return { class: 'user', issues: [describeIssue('challenge_not_published', { error: detail })], retryAt: null };
  if (type !== null && permanentTypes.has(type))
    return { class: 'final', issues: [describeIssue('ca_refused', { detail, type })], retryAt: null };
  if (type !== null && userTypes.has(type))
    return { class: 'user', issues: [describeIssue('ca_refused', { detail, type })], retryAt: null };
  const evidence = { detail, ...(retryAt !== null && { until: retryAt }) };
  return { class: 'passing', issues: [describeIssue('ca_unavailable', evidence)], retryAt: until };
}

/** A pause of our account that is not asked for again ends after this: its reason may be another than we read. */
const MAX_ACCOUNT_PAUSE_MS = 3 * 60 * 60_000;

/** The pause when the CA names no time. */
const DEFAULT_PAUSE_MS = 60_000;

/** Scope of a refusal by a CA that limits the rate, and its end. */
interface Refusal {
  readonly by: Blocker;
  readonly until: Date;
}

/**
 * Whether a CA refuses all our orders, all names below a registered domain, or one name (a problem of the class
 * `rate`). The protocol has no member for it, so the text decides: CAs quote the name, or the registered domain, that is at a
 * limit. A refusal that quotes neither is about the account.
 */
export function readRefusal(
  { detail, retryAt }: Pick<CaProblem, 'detail' | 'retryAt'>,
  names: { readonly name: string; readonly apexName: string },
  now: Date,
): Refusal {
  const by = scopeOf(detail.toLowerCase(), names);
  const until = retryAt === null ? new Date(now.getTime() + DEFAULT_PAUSE_MS) : new Date(retryAt);
  if (by !== 'account') return { by, until };
  return { by, until: new Date(Math.min(until.getTime(), now.getTime() + MAX_ACCOUNT_PAUSE_MS)) };
}

function scopeOf(detail: string, { name, apexName }: { readonly name: string; readonly apexName: string }): Blocker {
  // Let's Encrypt: "too many certificates (5) already issued for this exact set of identifiers in the last 168h".
  if (detail.includes('exact set')) return 'name';
  const words = new Set(detail.split(/[^a-z0-9.*-]/).map((word) => word.replace(/\.$/, '')));
  if (name !== apexName && words.has(name)) return 'name';
  if (!words.has(apexName)) return 'account';
  // "too many certificates (50) already issued for "example.com" in the last 168h", or "too many failed authorizations".
  return baseNameOf(name) !== apexName || detail.includes('certificates') ? 'registered_domain' : 'name';
}
