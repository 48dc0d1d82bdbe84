import { Injectable } from '@nestjs/common';
import type { Domain, WebhookEventType } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { DomainPresenter } from './domain-presenter.js';
import { DomainsRepository } from './domains.repository.js';

/** Something that has happened to a domain. */
export interface DomainOccurrence {
  readonly type: WebhookEventType;
  readonly domainId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly at: Date;
}

/** Passes on what happens to domains, in the transaction in which it happens. `events` implements it, by webhooks. */
export abstract class OccurrencePublisher {
  /** @param present the domains as the API shows them; called only when somebody wants to know about one */
  abstract publish(
    tx: Tx,
    occurrences: readonly DomainOccurrence[],
    present: (domainIds: readonly string[]) => Promise<readonly Domain[]>,
  ): Promise<void>;
}

/** Publishes occurrences, with the domains as they are in the transaction. */
@Injectable()
export class DomainOccurrences {
  constructor(
    private readonly publisher: OccurrencePublisher,
    private readonly domains: DomainsRepository,
    private readonly presenter: DomainPresenter,
  ) {}

  async record(tx: Tx, occurrences: readonly DomainOccurrence[]): Promise<void> {
    await this.publisher.publish(tx, occurrences, async (domainIds) =>
      this.presenter.present([...(await this.domains.listLocked(tx, domainIds)).values()], tx),
    );
  }
}
