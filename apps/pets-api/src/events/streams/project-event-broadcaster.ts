import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AutoResetEvent } from '@pets/async';
import type { NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { DomainHistoryRepository, type ProjectLine } from '../../domains/history/domain-history.repository.js';
import { LOG, NOTIFICATIONS } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { changedMessage, historyMessage } from './event-messages.js';
import type { EventStream } from './event-stream.js';
import { ProjectChangesRepository, type ChangedDomain, type ProjectPlace } from './project-changes.repository.js';

/**
 * Reads what happens in the projects that somebody watches on this replica: one reader, however many streams there are.
 * Woken by a notification, with a slow poll behind it; it asks which of the watched projects have gone on, reads what is
 * new in those, and hands it to their streams. Numbers are committed in their order, so nothing can appear behind what
 * was read. It waits for no stream.
 */

const POLL_MS = 1_000;
/** When many things happen at once, they are read together. */
const MIN_PAUSE_MS = 10;
/** Of one project in one go: far from what drops a reader that keeps up. */
const BATCH = 200;
const BATCH_BYTES = 64 * 1024;

/** A project that somebody watches. Every stream of it has been told at least what `place` says. */
interface Watch {
  place: ProjectPlace;
  readonly streams: Set<EventStream>;
}

@Injectable()
export class ProjectEventBroadcaster implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watches = new Map<string, Watch>();
  private readonly news = new AutoResetEvent();
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
    this.stopListening = this.notifications.on('project_events', () => this.news.set());
    this.shuttingDown.signal.addEventListener('abort', () => this.news.set(), { once: true });
    this.running = this.run(this.shuttingDown.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopListening();
    await this.running;
  }

  /**
   * Lets a stream have what comes, if it has been told all that was handed out already; otherwise it has to catch up.
   * @param changeNumber from where on quiet changes matter to it
   */
  join(stream: EventStream, changeNumber: bigint): boolean {
    const { projectId } = stream.rights;
    const watch = this.watches.get(projectId);
    if (watch === undefined) {
      const place = { projectId, eventNumber: stream.lastNumber, changeNumber };
      this.watches.set(projectId, { place, streams: new Set([stream]) });
      this.news.set();
      return true;
    }
    if (stream.lastNumber < watch.place.eventNumber) return false;
    watch.streams.add(stream);
    return true;
  }

  leave(stream: EventStream): void {
    const watch = this.watches.get(stream.rights.projectId);
    if (watch?.streams.delete(stream) && watch.streams.size === 0) this.watches.delete(stream.rights.projectId);
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.readNews()) this.news.set();
      } catch (error) {
        this.log.warn({ err: error }, 'the events of projects could not be read, trying again');
      }
      await Promise.all([this.news.wait(POLL_MS), sleep(MIN_PAUSE_MS)]);
    }
  }

  /** @returns whether there is more */
  private async readNews(): Promise<boolean> {
    if (this.watches.size === 0) return false;
    // A watch that ends and begins again meanwhile is another one, with its own position.
    const watches = new Map(this.watches);
    const advanced = await this.changes.findAdvanced([...watches.values()].map(({ place }) => place));
    if (advanced.length === 0) return false;
    const before = advanced.flatMap(({ projectId }) => watches.get(projectId)?.place ?? []);
    const [lines, changed] = await Promise.all([
      this.history.listAfter(
        before.map(({ projectId: id, eventNumber: after }) => ({ projectId: id, after })),
        BATCH,
      ),
      this.changes.listChanged(before),
    ]);
    const linesOf = Map.groupBy(lines, ({ projectId }) => projectId);
    const changedOf = Map.groupBy(changed, ({ projectId }) => projectId);
    let isMore = false;
    for (const { projectId: id, changeNumber } of advanced) {
      const watch = watches.get(id);
      if (watch === undefined || this.watches.get(id) !== watch) continue;
      const news = batchOf(linesOf.get(id) ?? [], { changeNumber, domains: changedOf.get(id) ?? [] });
      handOut(watch, news);
      isMore ||= news.isMore;
    }
    return isMore;
  }
}

/** What is handed out at a time; each message is written once, whoever reads it. */
interface Batch {
  readonly history: readonly { readonly number: bigint; readonly message: Buffer }[];
  readonly hints: readonly Buffer[];
  /** Null while there are lines to come before the hints. */
  readonly changeNumber: bigint | null;
  readonly isMore: boolean;
}

/** What a line tells of needs no hint besides. */
function batchOf(
  lines: readonly ProjectLine[],
  changed: { readonly changeNumber: bigint; readonly domains: readonly ChangedDomain[] },
): Batch {
  const history: { number: bigint; message: Buffer }[] = [];
  let bytes = 0;
  for (const line of lines) {
    const message = Buffer.from(historyMessage(line));
    bytes += message.length;
    if (history.length > 0 && bytes > BATCH_BYTES) break;
    history.push({ number: line.id, message });
  }
  if (history.length < lines.length || lines.length === BATCH)
    return { history, hints: [], changeNumber: null, isMore: true };
  const told = new Set(lines.map(({ entry }) => entry.domainId));
  const untold = changed.domains.filter(({ domainId }) => !told.has(domainId));
  const changeNumber = changed.domains.at(-1)?.changeNumber ?? changed.changeNumber;
  return {
    ...{ history, changeNumber, isMore: false },
    hints: untold.map(({ domainId }) => Buffer.from(changedMessage(domainId))),
  };
}

function handOut(watch: Watch, { history, hints, changeNumber }: Batch): void {
  const nowMs = performance.now();
  for (const stream of watch.streams) {
    for (const { number, message } of history) stream.tell(number, message, nowMs);
    for (const hint of hints) stream.write(hint, nowMs);
  }
  const { projectId, eventNumber, changeNumber: told } = watch.place;
  watch.place = {
    projectId,
    eventNumber: history.at(-1)?.number ?? eventNumber,
    changeNumber: changeNumber ?? told,
  };
}
