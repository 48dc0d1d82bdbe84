import { Injectable } from '@nestjs/common';
import { mapLanes } from '@pets/contracts';
import { LaneQueues, type ReadyQueue } from './lane-queues.js';
import { laneOf, type WorkLane } from './lanes.js';

/** The queue of a row. A row that is not due, or has no organization yet, is in none. */
export type ChangedQueue = { readonly [Field in keyof ReadyQueue]: ReadyQueue[Field] | null };

/** The queues of all lanes, which every writer of the schedule announces to and the loops of the dispatcher claim from. */
@Injectable()
export class DueQueues {
  private readonly lanes = mapLanes(() => new LaneQueues(new Date()));

  lane(name: WorkLane): LaneQueues {
    return this.lanes[name];
  }

  announce(queues: readonly ChangedQueue[]): void {
    const now = new Date();
    for (const queue of queues.filter(isReady)) this.lane(laneOf(queue)).announce(queue, now);
  }
}

function isReady(queue: ChangedQueue): queue is ReadyQueue {
  return queue.readyAt !== null && queue.organizationId !== null && queue.priority !== null;
}
