import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { isWildcard, type DnsFindings, type DomainEvents, type ExpectedDns } from '@pets/contracts';
import {
  evaluateWww,
  noticedAddresses,
  shownAddresses,
  withRetiringAddresses,
  evaluateDns,
  evaluateDelegation,
  evaluateOwnership,
  otherProofs,
  observedRecords,
  ownershipHostFor,
  requiresOwnershipProof,
  withProofsOfOthers,
  type DelegationVerdict,
  type DnsVerdict,
  type OwnershipVerdict,
} from '@pets/domains';
import { EventContext, OnEvent } from '@pets/messaging';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';
import { DomainsRepository } from '../names/domains.repository.js';
import type { DomainChange, DomainRow } from '../names/domain-row.js';
import { expectedDnsOf } from '../names/expected-dns.js';
import { PublicAddresses } from '../names/public-addresses.js';
import { LifecycleService, type ResultInterpreter } from './lifecycle.service.js';

/**
 * What the worker found in the DNS. Each handler turns a fact into a trigger; what becomes of the domain is decided by
 * `transition`, and whether the fact still counts by the lifecycle's fence.
 */
@Controller()
export class DnsEventsController {
  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly domains: DomainsRepository,
    private readonly addresses: PublicAddresses,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @OnEvent('dns.checked')
  async onDnsChecked(@Payload() event: DomainEvents['dns.checked'], @Ctx() { isAwaited }: EventContext): Promise<void> {
    const { findings } = event;
    const interpret: ResultInterpreter = async (tx, domain, now) => {
      const expected = this.expectedOf(domain, findings);
      const host = ownershipHostFor(domain.name);
      const token = domain.ownershipToken;
      const challenges = expected.delegation ? evaluateDelegation(findings, expected.delegation) : null;
      const verdict = evaluateProof(findings, { name: domain.name, host, token, challenges });
      const dns = this.evaluate(domain, findings, expected, now);
      const isRequired = requiresOwnershipProof({
        isApex: expected.isApex,
        isWildcard: isWildcard(domain.name),
        hasOtherClaims: domain.hasOtherClaims,
        dns,
        www: evaluateWww(findings, expected),
      });
      const ownership = isRequired ? { verdict, host, token } : null;
      const isHolder = domain.state !== 'awaiting_dns' || ownership === null || verdict.kind === 'proven';
      const values = isHolder ? otherProofs(findings, host, token) : [];
      const others = await this.domains.listProofsOfOthers(tx, domain, values);
      return {
        trigger: {
          type: 'dns.checked',
          dns: withProofsOfOthers(dns, { name: domain.name, host }, others),
          ownership,
          isClaimedElsewhere: domain.isClaimedElsewhere,
          challenges,
          hasNewNameServers: !areSameNames(findings.nameServers ?? domain.nameServers, domain.nameServers),
        },
        change: {
          ...observationsOf(findings, expected),
          ...(domain.state === 'awaiting_dns' && proofChange(ownership?.verdict, now)),
        },
      };
    };
    await this.lifecycle.applyResult('dns', event, interpret, { isAwaited });
  }

  @OnEvent('domain.reverified')
  async onReverified(
    @Payload() event: DomainEvents['domain.reverified'],
    @Ctx() { isAwaited }: EventContext,
  ): Promise<void> {
    const { findings, caa } = event;
    const interpret: ResultInterpreter = (_tx, domain, now) => {
      const expected = this.expectedOf(domain, findings);
      return {
        trigger: { type: 'domain.reverified', dns: this.evaluate(domain, findings, expected, now), caa },
        change: observationsOf(findings, expected),
      };
    };
    await this.lifecycle.applyResult('reverify', event, interpret, { isAwaited });
  }

  /** The newest answer says whether the name is the apex of a zone. */
  private expectedOf(domain: DomainRow, { zone }: DnsFindings) {
    return expectedDnsOf({ ...domain, zone: zone ?? domain.zone }, this.config, this.addresses.expected);
  }

  private evaluate({ id }: DomainRow, findings: DnsFindings, expected: ExpectedDns, now: Date): DnsVerdict {
    const noticed = noticedAddresses(this.addresses.listed, id, now);
    return withRetiringAddresses(evaluateDns(findings, expected), findings, expected, noticed);
  }
}

/** The fields that a DNS check changes besides the verdict. Unknown ones stay unchanged. */
function observationsOf(findings: DnsFindings, { name, targetHost, addresses }: ExpectedDns): DomainChange {
  const { checkedAt, nameServers, zone } = findings;
  const matchedAddresses = shownAddresses(findings, name, addresses);
  return {
    checkedAt: new Date(checkedAt),
    observed: observedRecords(findings, targetHost),
    ...(nameServers !== null && { nameServers }),
    ...(zone !== null && { zone }),
    ...(matchedAddresses !== undefined && {
      matchedAddresses: matchedAddresses.length === 0 ? null : matchedAddresses,
    }),
  };
}

function areSameNames(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && one.isSubsetOf(other);
}

const REFUTED: OwnershipVerdict = { kind: 'refuted' };

/**
 * The TXT record proves ownership, and so does the delegation: only the owner of the zone can create either for our tokens. A
 * wildcard has the delegation anyway; where others have names that it covers, only the TXT record says that it is meant for
 * them as well.
 */
function evaluateProof(
  findings: DnsFindings,
  {
    name,
    host,
    token,
    challenges,
  }: { name: string; host: string; token: string; challenges: DelegationVerdict | null },
): OwnershipVerdict {
  if (challenges?.kind === 'delegated' && !isWildcard(name)) return { kind: 'proven' };
  return wasLookedUp(host, findings) ? evaluateOwnership(findings, host, token) : REFUTED;
}

/** A check may have started before another organization had the name; then its job included no proof. */
function wasLookedUp(host: string, { lookups }: DnsFindings): boolean {
  return lookups.some(({ name, type }) => type === 'TXT' && name === host);
}

/** A proof is not needed after verification, and most owners remove the record then. */
function proofChange(verdict: OwnershipVerdict | undefined, now: Date): DomainChange {
  switch (verdict?.kind) {
    case 'proven':
      return { ownershipProvenAt: now };
    case 'refuted':
      return { ownershipProvenAt: null };
    case 'unknown':
    case undefined:
      return {};
  }
}
