import { Controller } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { OnEvent } from '@pets/messaging';
import { RevocationOutcomes } from './revocation-outcomes.service.js';

/** Results of revocations, from the worker. */
@Controller()
export class RevocationEventsController {
  constructor(private readonly outcomes: RevocationOutcomes) {}

  @OnEvent('certificate.revoked')
  async onRevoked({ certificateId }: DomainEvents['certificate.revoked']): Promise<void> {
    await this.outcomes.revoked(certificateId);
  }

  @OnEvent('certificate.revocation_failed')
  async onRevocationFailed(event: DomainEvents['certificate.revocation_failed']): Promise<void> {
    await this.outcomes.failed(event);
  }
}
