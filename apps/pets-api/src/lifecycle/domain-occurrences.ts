import { Injectable } from '@nestjs/common';
import type { Domain, WebhookEventType } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { DomainPresenter } from './domain-presenter.js';
import { DomainsRepository } from '../names/domains.repository.js';

/** An event of a domain that webhooks can report. */
export interface DomainOccurrence {
  readonly type: WebhookEventType;
  readonly domainId: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** The project that it has left, whose endpoints are notified as well. */
  readonly previousProjectId?: string;
  readonly at: Date;
}

/** Publishes occurrences in the transaction that causes them. The module `events` implements it with webhooks. */
export abstract class OccurrencePublisher {
  /** @param present returns domains as the API does; called only when an endpoint is subscribed */
  abstract publish(
    tx: Tx,
    occurrences: readonly DomainOccurrence[],
    present: (domainIds: readonly string[]) => Promise<readonly Domain[]>,
  ): Promise<void>;
}

/** Publishes occurrences, with the domains in the state that the transaction gives them. */
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
