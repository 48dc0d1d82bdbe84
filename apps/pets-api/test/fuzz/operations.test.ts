import { afterAll, beforeAll, describe } from '@jest/globals';
import { tellAccess } from './access.js';
import { startFuzzFixture, type FuzzFixture } from './fuzz-fixture.js';
import { tellInvalid } from './invalid.js';
import { tellMethods } from './methods.js';
import { tellValid } from './valid.js';

/** In one world, which takes longer to furnish than the shorter of these take; what changes it comes last. */
describe('every operation', () => {
  let fixture: FuzzFixture;
  beforeAll(async () => {
    fixture = await startFuzzFixture();
  });
  afterAll(() => fixture.close());

  tellAccess(() => fixture);
  tellMethods(() => fixture);
  tellInvalid(() => fixture);
  tellValid(() => fixture);
});
