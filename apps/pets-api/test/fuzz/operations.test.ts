import { afterAll, beforeAll, describe } from '@jest/globals';
import { tellAccess } from './access.js';
import { startFuzzWorld, type FuzzWorld } from './fuzz-world.js';
import { tellInvalid } from './invalid.js';
import { tellMethods } from './methods.js';
import { tellValid } from './valid.js';

/** In one world, which takes longer to furnish than the shorter of these take; what changes it comes last. */
describe('every operation', () => {
  let world: FuzzWorld;
  beforeAll(async () => {
    world = await startFuzzWorld();
  }, 60_000);
  afterAll(() => world.close());

  tellAccess(() => world);
  tellMethods(() => world);
  tellInvalid(() => world);
  tellValid(() => world);
});
