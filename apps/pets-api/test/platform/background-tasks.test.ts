import { describe, expect, it } from '@jest/globals';
import type { NotificationListener } from '@pets/persistence';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { BackgroundTasks } from '../../src/platform/background-tasks.js';
import { ApiMetrics } from '../../src/platform/metrics/api-metrics.js';
import { ShuttingDown } from '../../src/platform/shutting-down.js';

const notifications: Pick<NotificationListener, 'next'> = {
  next: () => Promise.reject(new Error('nothing waits for a notification here')),
};

describe('background work that fails', () => {
  it('is tried again, logged and counted, and does not stop the rest', async () => {
    const metrics = new ApiMetrics();
    const shuttingDown = new ShuttingDown();
    const tasks = new BackgroundTasks(shuttingDown, notifications, metrics, createLogger('test', 'silent'));
    const rounds = { repeated: 0, polled: 0, healthy: 0 };
    const fail = async (kind: 'repeated' | 'polled') => {
      rounds[kind] += 1;
      throw new Error('broken');
    };
    tasks.repeat({ everyMs: 2, failure: 'keys not swept', run: () => fail('repeated') });
    tasks.repeat({ everyMs: 2, failure: 'never', run: async () => (rounds.healthy += 1) });
    tasks.poll({ pollMs: 2, pauseMs: 2, failure: 'queue not served', round: () => fail('polled') });
    tasks.onApplicationBootstrap();
    await waitUntil(async () => Math.min(...Object.values(rounds)) >= 3);
    expect(
      await tasks.sweep({ batch: 1, failure: 'rows not deleted', clear: () => Promise.reject(new Error('broken')) }),
    ).toBe(0);
    shuttingDown.beginShutdown();
    await tasks.onApplicationShutdown();
    const counted = async (failure: string) => {
      const metric = await metrics.registry.getSingleMetric('pets_background_failures_total')?.get();
      return metric?.values.find(({ labels }) => labels['failure'] === failure)?.value ?? 0;
    };
    expect(await counted('keys not swept')).toBe(rounds.repeated);
    expect(await counted('queue not served')).toBe(rounds.polled);
    expect(await counted('rows not deleted')).toBe(1);
    expect(await counted('never')).toBe(0);
  });
});
