import { join } from 'node:path';
import type { ChaosOptions, Round } from '../round.js';
import { startCutoverFixture, type CutoverFixture } from './cutover-fixture.js';
import { moveIn, moveOut, startMove, type Move } from './move.js';

/**
 * A site that is live on another server moves here, and away again. Visitors come all the time, each with a new TLS
 * handshake, and resolvers that honour TTLs lead them. Every handshake must succeed, with the certificate of the server
 * that the resolver named, and the CA must have got exactly one order.
 */

/** In order: a site that leaves must have come. */
const moves: Readonly<Record<string, (fixture: CutoverFixture, move: Move) => Promise<Omit<Round, 'name'>>>> = {
  'move-in': moveIn,
  'move-out': moveOut,
};
/** A round takes minutes. */
const LONG_ONES_SHARE = 5;

export async function* chaosCutover({ rounds, only, cutoverSeconds }: ChaosOptions): AsyncGenerator<Round> {
  const names = Object.keys(moves);
  if (only !== undefined && !names.includes(only)) throw new Error(`there is no fault ${only}: ${names.join(', ')}`);
  const fixture = await startCutoverFixture();
  try {
    for (let round = 1; round <= Math.ceil(rounds / LONG_ONES_SHARE); round++) {
      const folder = join(fixture.folder, `other-${round}`);
      const move = await startMove(fixture, { name: `docs.moving-${round}.com`, folder, seconds: cutoverSeconds });
      try {
        for (const [name, play] of Object.entries(moves)) {
          const played = { name, ...(await play(fixture, move)) };
          if (played.seen.length > 0) process.stderr.write(`  ${fixture.lastLines().join('\n  ')}\n`);
          if (only === undefined || only === name) yield played;
        }
      } finally {
        await move.stop();
      }
    }
  } finally {
    await fixture.close();
  }
}
