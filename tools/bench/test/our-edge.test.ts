import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWhen, isInstalled } from '@pets/testing';
import { prepareGround, startAndWait } from '../src/edge/contestant.js';
import { ourEdge } from '../src/edge/our-edge.js';

const missing = isInstalled('taskset') ? null : 'taskset is not installed';

describeWhen(describe, 'the edge of the benchmarks', missing, () => {
  it('serves what its folder was prepared with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pets-bench-edge-'));
    try {
      const { serving, ms } = await startAndWait(ourEdge, await prepareGround(folder, 1), 1);
      expect(ms).toBeGreaterThan(0);
      await serving.stop();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
