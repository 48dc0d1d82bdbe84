/**
 * Sends the events of projects to the streams that are open on this replica, with one reader for all of them.
 *
 * A stream first catches up with the history, page by page, and then joins the watch of its project. The reader wakes up at
 * a notification, or after `POLL_MS` without one. It asks which watched projects have advanced, reads their new events and
 * writes them to the streams, without waiting for any. Event numbers commit in order, so no event can appear behind the
 * last one that was read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AutoResetEvent } from '@pets/async';
import type { NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { DomainHistoryRepository, type ProjectLine } from '../../names/domain-history.repository.js';
import { LOG, NOTIFICATIONS } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import {
  ANONYMOUS_CHANGE,
  changedMessage,
  historyMessage,
  type EventStream,
  type ProjectRights,
} from './event-stream.js';
import { ProjectChangesRepository, type ChangedResource, type ProjectPosition } from './project-changes.repository.js';

const POLL_MS = 1_000;
/** Reads events together that happen within this time. */
const MIN_PAUSE_MS = 10;
/** Lines of history that a stream catches up with at a time. */
const CATCH_UP_PAGE = 100;
/** Limits of one batch of a project: far below the unsent data for which a stream is dropped. */
const BATCH = 200;
const BATCH_BYTES = 64 * 1024;

type ProjectStream = EventStream<ProjectRights>;

/** A project with open streams. Each of them has received everything up to `position`. */
interface Watch {
  position: ProjectPosition;
  readonly streams: Set<ProjectStream>;
}

@Injectable()
export class ProjectEventBroadcaster implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watches = new Map<string, Watch>();
  private readonly catchingUp = new Set<Promise<void>>();
  private readonly wakeUp = new AutoResetEvent();
  private running: Promise<void> = Promise.resolve();
  private stopListening: () => void = () => undefined;

  constructor(
    private readonly history: DomainHistoryRepository,
    private readonly changes: ProjectChangesRepository,
    private readonly shuttingDown: ShuttingDown,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.notifications.on('project_events', () => this.wakeUp.set());
    this.shuttingDown.signal.addEventListener('abort', () => this.wakeUp.set(), { once: true });
    this.running = this.run(this.shuttingDown.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopListening();
    await Promise.all([this.running, ...this.catchingUp]);
  }

  /**
   * Sends a stream the history that it has not received, and then new events until `leave`.
   * @param position of the project when the stream was opened
   */
  follow(stream: ProjectStream, position: ProjectPosition): void {
    const catchingUp = this.catchUp(stream, position).finally(() => this.catchingUp.delete(catchingUp));
    this.catchingUp.add(catchingUp);
  }

  leave(stream: ProjectStream): void {
    const watch = this.watches.get(stream.rights.projectId);
    if (watch?.streams.delete(stream) && watch.streams.size === 0) this.watches.delete(stream.rights.projectId);
  }

  private async catchUp(
    stream: ProjectStream,
    { projectId, eventNumber, changeNumber }: ProjectPosition,
  ): Promise<void> {
    let isAtEnd = stream.lastNumber === eventNumber;
    try {
      while (!stream.isClosed) {
        if (isAtEnd && this.join(stream, changeNumber)) return;
        const page = await this.history.list(
          { projectId },
          { limit: CATCH_UP_PAGE, afterId: String(stream.lastNumber) },
        );
        for (const line of page) {
          sendLine(stream, {
            number: line.id,
            domainId: line.entry.domainId,
            message: Buffer.from(historyMessage(line)),
          });
          await stream.whenNearlyDrained();
        }
        isAtEnd = page.length < CATCH_UP_PAGE;
        // Old lines may have been deleted: without this the stream would wait for them.
        if (isAtEnd) stream.skipTo(eventNumber);
      }
    } catch (error) {
      this.log.warn({ err: error }, 'event stream failed to catch up with the history; its client reconnects');
      stream.drop();
    }
  }

  /**
   * Adds a stream to the watch of its project. @returns false when the watch is ahead of it, and it has to catch up
   * @param changeNumber the first change without a line of history that it has to receive
   */
  private join(stream: ProjectStream, changeNumber: bigint): boolean {
    const { projectId } = stream.rights;
    const watch = this.watches.get(projectId);
    if (watch === undefined) {
      const position = { projectId, eventNumber: stream.lastNumber, changeNumber };
      this.watches.set(projectId, { position, streams: new Set([stream]) });
      this.wakeUp.set();
      return true;
    }
    if (stream.lastNumber < watch.position.eventNumber) return false;
    watch.streams.add(stream);
    return true;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.broadcastNew()) this.wakeUp.set();
      } catch (error) {
        this.log.warn({ err: error }, 'events of projects not read; trying again');
      }
      await Promise.all([this.wakeUp.wait(POLL_MS), sleep(MIN_PAUSE_MS)]);
    }
  }

  /** @returns whether there is more */
  private async broadcastNew(): Promise<boolean> {
    if (this.watches.size === 0) return false;
    // A watch that ends and starts again during the queries is another one, with its own position.
    const watches = new Map(this.watches);
    const advanced = await this.changes.findAdvanced([...watches.values()].map(({ position }) => position));
    if (advanced.length === 0) return false;
    const before = advanced.flatMap(({ projectId }) => watches.get(projectId)?.position ?? []);
    const [lines, changed] = await Promise.all([
      this.history.listAfter(
        before.map(({ projectId: id, eventNumber: after }) => ({ projectId: id, after })),
        BATCH,
      ),
      this.changes.listChanged(before),
    ]);
    const linesOf = Map.groupBy(lines, ({ projectId }) => projectId);
    const changedOf = Map.groupBy(changed, ({ projectId }) => projectId);
    let hasMore = false;
    for (const { projectId: id, changeNumber } of advanced) {
      const watch = watches.get(id);
      if (watch === undefined || this.watches.get(id) !== watch) continue;
      const batch = createBatch(linesOf.get(id) ?? [], { changeNumber, resources: changedOf.get(id) ?? [] });
      sendBatch(watch, batch);
      hasMore ||= batch.hasMore;
    }
    return hasMore;
  }
}

interface Line {
  readonly number: bigint;
  readonly domainId: string;
  readonly message: Buffer;
}

/** Events to send together; each message is serialized once for all streams. */
interface Batch {
  readonly history: readonly Line[];
  readonly hints: readonly { readonly id: string; readonly message: Buffer }[];
  /** Null while lines of history are left, which precede the hints. */
  readonly changeNumber: bigint | null;
  readonly hasMore: boolean;
}

/** A domain with a new line of history needs no hint. */
function createBatch(
  lines: readonly ProjectLine[],
  changed: { readonly changeNumber: bigint; readonly resources: readonly ChangedResource[] },
): Batch {
  const history: Line[] = [];
  let bytes = 0;
  for (const line of lines) {
    const message = Buffer.from(historyMessage(line));
    bytes += message.length;
    if (history.length > 0 && bytes > BATCH_BYTES) break;
    history.push({ number: line.id, domainId: line.entry.domainId, message });
  }
  if (history.length < lines.length || lines.length === BATCH)
    return { history, hints: [], changeNumber: null, hasMore: true };
  const inHistory = new Set(lines.map(({ entry }) => entry.domainId));
  const hinted = changed.resources.filter(({ id }) => !inHistory.has(id));
  return {
    history,
    hints: hinted.map((resource) => ({ id: resource.id, message: Buffer.from(changedMessage(resource)) })),
    changeNumber: changed.resources.at(-1)?.changeNumber ?? changed.changeNumber,
    hasMore: false,
  };
}

function sendBatch(watch: Watch, { history, hints, changeNumber }: Batch): void {
  for (const stream of watch.streams) {
    for (const line of history) sendLine(stream, line);
    for (const hint of hints) sendHint(stream, hint);
  }
  const { projectId, ...before } = watch.position;
  watch.position = {
    projectId,
    eventNumber: history.at(-1)?.number ?? before.eventNumber,
    changeNumber: changeNumber ?? before.changeNumber,
  };
}

function sendLine(stream: ProjectStream, { number, domainId, message }: Line): void {
  const { domainIds } = stream.rights;
  if (domainIds === undefined) return stream.sendLine(number, message, performance.now());
  if (domainIds.has(domainId)) stream.sendLine(number, anonymousMessage, performance.now());
  else stream.skipTo(number);
}

function sendHint(stream: ProjectStream, { id, message }: { readonly id: string; readonly message: Buffer }): void {
  const { domainIds } = stream.rights;
  if (domainIds === undefined) stream.write(message, performance.now());
  else if (domainIds.has(id)) stream.write(anonymousMessage, performance.now());
}

/** For a reader of a set-up link, who sees no ids and no history. */
const anonymousMessage = Buffer.from(ANONYMOUS_CHANGE);
