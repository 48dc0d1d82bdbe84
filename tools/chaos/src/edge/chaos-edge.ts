import { publishSites, type Site } from '@pets/lab';
import { createRandom, type ChaosOptions, type Round } from '../round.js';
import { gatherCrowd, startEdgeChaosFixture, type EdgeChaosFixture } from './edge-chaos-fixture.js';
import { originFaults } from './faults/origin-faults.js';
import { failover, processFaults } from './faults/process-faults.js';
import type { Fault } from './faults/scene.js';
import { storageFaults } from './faults/storage-faults.js';
import { storeFaults } from './faults/store-faults.js';
import { startApplications } from './origins/applications.js';

/**
 * Sites and an application are visited at two edges while something breaks. Whatever it is, every body must be that of its host,
 * what was removed must stay removed, edges serve on without the API, and say so when they find a file damaged. An application
 * that fails concerns its own visitors only.
 */

const SITES = 3;

export async function* chaosEdge({ seed, rounds, only }: ChaosOptions): AsyncGenerator<Round> {
  const chosen = Object.entries(faults).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`there is no fault ${only ?? ''}: ${Object.keys(faults).join(', ')}`);
  const fixture = await startEdgeChaosFixture();
  const sites = await publishSites(
    fixture.stack,
    Array.from({ length: SITES }, (_, index) => `kept-${index}.example.com`),
  );
  const applications = await startApplications(fixture);
  const crowd = gatherCrowd(fixture, [...sites, applications.healthy]);
  try {
    for (const [index, [name, fault]] of chosen.entries()) {
      for (let round = 1; round <= rounds; round++) {
        const random = createRandom(seed + 1_000 * index + round);
        const spares: Site[] = [];
        const spare = async () => {
          const [site] = await publishSites(fixture.stack, [`spare-${index}-${round}-${spares.length}.example.com`]);
          if (site === undefined) throw new Error('no site was published');
          spares.push(site);
          crowd.join(site);
          return site;
        };
        const before = { wrong: crowd.wrong.length, unexpectedExits: unexpectedExits(fixture).length };
        const { seen, unserved, recoveredMs } = await fault({ fixture, random, crowd, applications, spare });
        await crowd.forget(spares);
        const wrong = crowd.wrong.slice(before.wrong, before.wrong + 3);
        const all = [...seen, ...unserved, ...wrong, ...unexpectedExits(fixture).slice(before.unexpectedExits)];
        // An edge hands out nothing that there may be one of only.
        yield printFailure(fixture, { name, seen: all, lost: unserved.length, duplicated: null, recoveredMs });
      }
    }
  } finally {
    await crowd.leave();
    await applications.close();
    await fixture.stack.close();
  }
}

function unexpectedExits({ stack }: EdgeChaosFixture): readonly string[] {
  return stack.processes().flatMap((each) => each.unexpectedExits);
}

/** Length of the lines that a failed round prints. */
const LINE_LENGTH = 600;

function lastLines({ stack }: EdgeChaosFixture): readonly string[] {
  return stack.processes().flatMap(({ lines }) => lines.slice(-10).map((line) => line.slice(0, LINE_LENGTH)));
}

function printFailure(fixture: EdgeChaosFixture, round: Round): Round {
  if (round.seen.length > 0) process.stderr.write(`  ${lastLines(fixture).join('\n  ')}\n`);
  return round;
}

const faults: Readonly<Record<string, Fault>> = {
  ...processFaults,
  ...storeFaults,
  ...storageFaults,
  ...originFaults,
  'failover-with-reused-versions': failover,
};
