import { failover } from './failover-fault.js';
import { processFaults } from './process-faults.js';
import { storageFaults } from './storage-faults.js';
import { storeFaults } from './store-faults.js';
import type { Fault } from './scene.js';

export const faults: Readonly<Record<string, Fault>> = {
  ...processFaults,
  ...storeFaults,
  ...storageFaults,
  'failover-with-reused-versions': failover,
};
