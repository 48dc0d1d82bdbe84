import { Injectable } from '@nestjs/common';
import { LaneQueues, type ReadyQueue } from './lane-queues.js';
import { laneOf, workLanes, type WorkLane } from './lanes.js';

/** The queue of a row. A row that is not due, or has no organization yet, is in none. */
export type ChangedQueue = { readonly [Field in keyof ReadyQueue]: ReadyQueue[Field] | null };

/** The queues of all lanes, which every writer of the schedule announces to and the loops of the dispatcher claim from. */
@Injectable()
export class DueQueues {
  private readonly lanes = new Map(workLanes.map((lane) => [lane, new LaneQueues(new Date())]));

  lane(name: WorkLane): LaneQueues {
    const queues = this.lanes.get(name);
    if (queues === undefined) throw new Error(`there is no lane ${name}`);
    return queues;
  }

  announce(queues: readonly ChangedQueue[]): void {
    const now = new Date();
    for (const queue of queues.filter(isReady)) this.lane(laneOf(queue)).announce(queue, now);
  }
}

function isReady(queue: ChangedQueue): queue is ReadyQueue {
  return queue.readyAt !== null && queue.organizationId !== null && queue.priority !== null;
}
