import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import type { EventStream, StreamRights } from './event-stream.js';
import { StreamAccessRepository } from './stream-access.repository.js';

/** Ends the streams whose key or session ended or lost the scope, or whose project is gone. */
@Injectable()
export class StreamRightsCheck {
  constructor(
    private readonly access: StreamAccessRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Streams may stay while the database does not respond: without it there are no events to send either. */
  async endLapsed(streams: Iterable<EventStream>): Promise<void> {
    try {
      const byRights = Map.groupBy(streams, ({ rights }) => keyOf(rights));
      const distinct = [...byRights.values()].flatMap(([first]) => first?.rights ?? []);
      for (const lapsed of await this.access.findLapsed(distinct, this.clock()))
        for (const stream of byRights.get(keyOf(lapsed)) ?? []) stream.end();
    } catch (error) {
      this.log.warn({ err: error }, 'rights of event streams not checked; trying again');
    }
  }
}

function keyOf({ apiKeyId, sessionId, scope, projectId }: StreamRights): string {
  return `${apiKeyId} ${sessionId ?? ''} ${scope} ${projectId ?? ''}`;
}
