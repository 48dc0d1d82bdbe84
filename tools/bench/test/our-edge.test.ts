import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { prepareGround, startAndWait } from '../src/edge/contestant.js';
import { ourEdge } from '../src/edge/our-edge.js';

it('the edge of the benchmarks serves what its folder was prepared with', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pets-bench-edge-'));
  try {
    const { serving, ms } = await startAndWait(ourEdge, await prepareGround(folder, 1), 1);
    expect(ms).toBeGreaterThan(0);
    await serving.stop();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
