/**
 * Decisions about the certificate of `*.<platform domain>`, which the service orders for itself: the same backoff, renewal and
 * budget as for a domain, without a state. There is always a next attempt, since nobody else would ask for one.
 */
import type { DomainEvents, DomainIssue, ExpectedDelegation, ExpectedDns } from '@pets/contracts';
import { classifyFailure, type ClassifiedFailure } from '../certificates/classify-failure.js';
import {
  nextRenewalInfo,
  nextRenewalInfoAfterFailure,
  renewalInWindow,
  type ValidityPeriod,
} from '../certificates/renewal.js';
import { evaluateDelegation, requiredDelegationIssues } from '../dns/evaluate-delegation.js';
import { parseDomainName } from '../names/parse-domain-name.js';
import { delegationFor } from '../names/required-records.js';
import { nextAttempt, OTHER_CA_DELAY_MS } from './after-attempt.js';
import { nextAllowedOrder } from './order-budget.js';
import { later, nextRetry } from './schedules.js';

/** Fixed, so that an operator can create the record before the first start. The tokens of domains are random. */
const DELEGATION_TOKEN = 'platform';

/** A failed preflight costs the CA nothing. */
const PREFLIGHT_PAUSE_MS = 60_000;

/** The name of the certificate, and the registered domain by which CAs count it. */
export function platformNames(platformDomain: string): { readonly name: string; readonly apexName: string } {
  const name = `*.${platformDomain.toLowerCase()}`;
  // A platform domain may be a public suffix itself, which the parser refuses.
  const parsed = parseDomainName(name, { platformDomain: '', allowSpecialUseNames: true });
  return { name, apexName: parsed.ok ? parsed.apexName : platformDomain.toLowerCase() };
}

/** The record that the operator creates once. @param zone in which we publish answers to challenges */
export function platformDelegation(platformDomain: string, zone: string): ExpectedDelegation {
  return delegationFor(platformNames(platformDomain).name, DELEGATION_TOKEN, zone);
}

/** Classifies a failed attempt, and returns the issue for the operator. */
export function evaluatePlatformFailure(
  event: DomainEvents['certificate.failed'],
  expected: ExpectedDns,
): { readonly failure: ClassifiedFailure; readonly issue: DomainIssue | undefined } {
  const failure = classifyFailure(event, expected);
  const { delegation, name } = expected;
  const [missing] =
    event.gate === null || delegation === null
      ? []
      : requiredDelegationIssues(evaluateDelegation(event.gate.dns, delegation), delegation, name);
  return { failure, issue: missing ?? failure.issues[0] };
}

export interface FailedPlatformOrder {
  readonly failure: ClassifiedFailure;
  readonly isPreflightFailure: boolean;
  readonly hasOtherCa: boolean;
  /** Before this one. */
  readonly failuresInARow: number;
}

/** When to order after a failure. */
export function nextPlatformOrder(
  { failure, isPreflightFailure, hasOtherCa, failuresInARow }: FailedPlatformOrder,
  now: Date,
): { readonly dueAt: Date; readonly failuresInARow: number } {
  if (isPreflightFailure) return { dueAt: new Date(now.getTime() + PREFLIGHT_PAUSE_MS), failuresInARow };
  if (hasOtherCa) return { dueAt: new Date(now.getTime() + OTHER_CA_DELAY_MS), failuresInARow };
  const failures = failuresInARow + 1;
  return { dueAt: nextAttempt(true, failure, failures, now) ?? nextRetry(Infinity, now), failuresInARow: failures };
}

/** The answer of a CA about the current certificate. */
export interface PlatformRenewalInfo {
  /** Null when the CA offers none. */
  readonly window: { readonly start: Date; readonly end: Date } | null;
  readonly retryAt: Date | null;
  readonly hasFailed: boolean;
}

/** The planned renewal that the answer may change. */
export interface PlannedPlatformRenewal {
  readonly certificate: ValidityPeriod;
  /** Null while an attempt runs or has failed: then the answer does not change its time. */
  readonly dueAt: Date | null;
  /** Times of orders, oldest first. */
  readonly ordersAt: readonly Date[];
  readonly jitter: number;
}

/** When to renew and when to ask again. A null `dueAt` changes nothing; a null `infoDueAt` asks no more. */
export function afterPlatformRenewalInfo(
  { window, retryAt, hasFailed }: PlatformRenewalInfo,
  { certificate, dueAt, ordersAt, jitter }: PlannedPlatformRenewal,
  now: Date,
): { readonly dueAt: Date | null; readonly infoDueAt: Date | null } {
  if (hasFailed) return { dueAt: null, infoDueAt: nextRenewalInfoAfterFailure(retryAt, jitter, now) };
  if (window === null) return { dueAt: null, infoDueAt: null };
  const infoDueAt = nextRenewalInfo(retryAt, jitter, now);
  if (dueAt === null) return { dueAt: null, infoDueAt };
  // Prevents an endless loop if a CA requests immediate renewal of every certificate.
  const asked = later(renewalInWindow(window, certificate, jitter, now), nextAllowedOrder(ordersAt, now));
  return { dueAt: asked, infoDueAt };
}
