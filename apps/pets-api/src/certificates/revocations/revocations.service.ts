/**
 * Revokes certificates that nobody may use any more at their CA (RFC 8555 §7.6), above all those of the former organization
 * of a name. A request is a row, written in the transaction that makes it necessary. `revocation-outcomes.service.ts` then
 * creates jobs for due rows, and applies the results. Nothing waits for a revocation: the edge feed stops the traffic of a
 * former owner.
 */
import { Injectable } from '@nestjs/common';
import type { RevocationReason } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { RevocationsRepository } from './revocations.repository.js';

/** RFC 5280 §5.3.1; the CA/Browser Forum requires it when a subscriber no longer has the name. */
const NAME_LOST = 'cessation_of_operation' satisfies RevocationReason;

@Injectable()
export class RevocationsService {
  constructor(private readonly revocations: RevocationsRepository) {}

  /**
   * Requests the revocation of certificates. Ignores unknown ids, and certificates that have expired or were revoked.
   * @returns the ids of the certificates that this request revokes
   */
  async request(
    tx: Tx,
    { certificateIds, reason, now }: { certificateIds: readonly string[]; reason: RevocationReason; now: Date },
  ): Promise<string[]> {
    return certificateIds.length === 0 ? [] : this.revocations.addRevocations(tx, certificateIds, reason, now);
  }

  /** Requests the revocation of other organizations' certificates for names that were just verified. */
  async requestOfOthers(
    tx: Tx,
    names: readonly { readonly name: string; readonly organizationId: string }[],
    now: Date,
  ): Promise<void> {
    if (names.length > 0) await this.revocations.addOfOthers(tx, names, NAME_LOST, now);
  }

  /**
   * Requests the revocation of a removed domain's certificates if another organization was verified for the name since: one may
   * have been issued after that. Those of a domain that its owner removed stay valid, as their keys never leave the platform.
   */
  async requestOfLost(tx: Tx, domainId: string, now: Date): Promise<void> {
    await this.revocations.addOfLost(tx, domainId, NAME_LOST, now);
  }
}
