import { createHash } from 'node:crypto';
import type { ExpectedDns } from '@pets/contracts';
import { platformDelegation, platformNames, type CertificateSubject } from '@pets/domains';
import type { Config } from '../../platform/config.js';

/** The certificate of `*.<platform domain>`, as jobs and limits of CAs see it: like that of a domain. */
export interface PlatformSubject extends CertificateSubject {
  /** The records that its orders need: one alone. */
  readonly expected: ExpectedDns & { readonly delegation: NonNullable<ExpectedDns['delegation']> };
}

type PlatformSettings = Pick<Config, 'PLATFORM_DOMAIN' | 'ACME_DNS_ZONE' | 'ISSUE_PLATFORM_CERTIFICATE'>;

/** @returns null when this installation does not order it */
export function platformSubjectOf(config: PlatformSettings): PlatformSubject | null {
  const { PLATFORM_DOMAIN: platformDomain, ACME_DNS_ZONE: zone, ISSUE_PLATFORM_CERTIFICATE: isWanted } = config;
  if (!isWanted || zone === undefined) return null;
  const names = platformNames(platformDomain);
  const delegation = platformDelegation(platformDomain, zone);
  // Where projects' names point is up to the operator: the wildcard is validated by its delegation alone.
  const expected = {
    ...{ name: names.name, isApex: false, targetHost: platformDomain, addresses: [], retiringAddresses: [] },
    ...{ wildcardTargetHost: null, ownershipHost: null, ownershipToken: null, isProofByAddress: false },
    ...{ wwwTargetHost: null, delegation },
  };
  return { domainId: platformOrderId(names.name), ...names, expected };
}

/** The same in every process, so that an event is recognized without a query. A UUID of version 8 (RFC 9562 §5.8). */
export function platformOrderId(name: string): string {
  const bytes = createHash('sha256').update(`platform certificate ${name}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
