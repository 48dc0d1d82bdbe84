/**
 * `GET /v1/projects/{projectId}/events` as `text/event-stream`: the events of a project's domains as they happen.
 *
 * A stream starts with its position (`ready`), catches up with the history page by page, and then receives new events from
 * the broadcaster of this replica. When it ends, the client reconnects to any replica with the id of the last event that it
 * received, so no state of a stream is kept and no event is lost.
 */
import { Injectable } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import { ANONYMOUS_READY, readyMessage, type EventStream, type ProjectRights } from './event-stream.js';
import { EventStreams } from './event-streams.service.js';
import { ProjectChangesRepository } from './project-changes.repository.js';
import { ProjectEventBroadcaster } from './project-event-broadcaster.js';

@Injectable()
export class ProjectStreams {
  constructor(
    private readonly streams: EventStreams,
    private readonly broadcaster: ProjectEventBroadcaster,
    private readonly changes: ProjectChangesRepository,
  ) {}

  /**
   * Opens a stream of a project that its reader may see.
   * @param limit how many the organization may have open here
   * @param after the line of the history to continue after; null: the newest
   * @throws RequestError `invalid_parameter` beyond the newest line, `rate_limited` and `unavailable` when there are too many
   */
  async open(rights: ProjectRights, limit: number, after: bigint | null): Promise<EventStream> {
    const position = await this.changes.getPosition(rights.projectId);
    const { eventNumber } = position;
    if (after !== null && after > eventNumber)
      throw RequestError.ofField(
        'invalid_parameter',
        'Last-Event-ID',
        `the newest event of this project is ${eventNumber}`,
      );
    const start = after ?? eventNumber;
    const stream = this.streams.open(rights, limit, start);
    stream.readable.once('close', () => this.broadcaster.leave(stream));
    const ready = rights.domainIds === undefined ? readyMessage(start) : ANONYMOUS_READY;
    stream.write(Buffer.from(ready), performance.now());
    this.broadcaster.follow(stream, position);
    return stream;
  }
}
