import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../src/platform/background-tasks.js';
import { ApiMetrics } from '../../src/platform/metrics/api-metrics.js';
import { ShuttingDown } from '../../src/platform/shutting-down.js';

/** For what a test starts itself: nothing notifies. */
export function backgroundTasks(log: Logger): BackgroundTasks {
  const notifications = { next: () => Promise.reject(new Error('nothing waits for a notification here')) };
  return new BackgroundTasks(new ShuttingDown(), notifications, new ApiMetrics(), log);
}
