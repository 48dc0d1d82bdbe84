import { Injectable } from '@nestjs/common';
import { AutoResetEvent } from '@pets/async';
import { mapLanes } from '@pets/contracts';
import { LaneQueues, type ReadyQueue, laneOf, type WorkLane } from '@pets/domains';

/** The queue of a row. A row that is not due, or has no organization yet, is in none. */
export type ChangedQueue = { readonly [Field in keyof ReadyQueue]: ReadyQueue[Field] | null };

/** The queues of all lanes, which every writer of the schedule announces to and the loops of the dispatcher claim from. */
@Injectable()
export class DueQueues {
  private readonly lanes = mapLanes(() => ({ queues: new LaneQueues(new Date()), announced: new AutoResetEvent() }));

  lane(name: WorkLane): LaneQueues {
    return this.lanes[name].queues;
  }

  /** Set when a row of the lane was announced that is ready. */
  announced(name: WorkLane): AutoResetEvent {
    return this.lanes[name].announced;
  }

  announce(queues: readonly ChangedQueue[]): void {
    const now = new Date();
    for (const queue of queues.filter(isReady)) {
      const lane = this.lanes[laneOf(queue)];
      if (lane.queues.announce(queue, now)) lane.announced.set();
    }
  }
}

function isReady(queue: ChangedQueue): queue is ReadyQueue {
  return queue.readyAt !== null && queue.organizationId !== null && queue.priority !== null;
}
