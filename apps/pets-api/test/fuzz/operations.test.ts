import { afterAll, beforeAll, describe } from '@jest/globals';
import { testAccess } from './access.js';
import { startFuzzFixture, type FuzzFixture } from './fuzz-fixture.js';
import { testInvalidRequests } from './invalid.js';
import { testMethods } from './methods.js';
import { testValidRequests } from './valid.js';

/** Share one fixture, which takes longer to start than some of these tests. Tests that change it are last. */
describe('every operation', () => {
  let fixture: FuzzFixture;
  beforeAll(async () => {
    fixture = await startFuzzFixture();
  });
  afterAll(() => fixture.close());

  testAccess(() => fixture);
  testMethods(() => fixture);
  testInvalidRequests(() => fixture);
  testValidRequests(() => fixture);
});
