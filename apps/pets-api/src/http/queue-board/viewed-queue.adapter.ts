import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { QueueView } from '@pets/messaging';

/**
 * A queue as bull-board knows them, on a view of one: it can ask and do nothing, whatever the board is made to call. Of
 * what there is none here (schedules, limits, flows) the board is told so without a question.
 */
export class ViewedQueueAdapter extends BullMQAdapter {
  constructor(private readonly view: QueueView) {
    super(asQueue(view), { readOnlyMode: true });
  }

  /** Of Redis; asked only where the queues are there. */
  override getRedisInfo(): Promise<string | null> {
    return this.view.storeInfo();
  }
}

/** The board only calls what is in the view, and what is added here; its own type wants the whole of BullMQ's class. */
function asQueue(view: QueueView): ConstructorParameters<typeof BullMQAdapter>[0] {
  const queue = {
    ...view,
    metaValues: { version: 'bullmq' },
    opts: {},
    getBackend: () => null,
    getJobSchedulers: async () => [],
    getJobSchedulersCount: async () => 0,
    getRateLimitTtl: async () => 0,
  };
  return queue as unknown as ConstructorParameters<typeof BullMQAdapter>[0];
}
