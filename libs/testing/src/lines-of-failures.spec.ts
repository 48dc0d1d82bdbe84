import { expect, it } from '@jest/globals';

/** Not in what runs, so that lines differ there. */
interface Told {
  readonly stack: string;
}

it('tells a failure by the line of its source', () => {
  const { stack } = new Error('told') as Told;
  expect(stack).toMatch(/lines-of-failures\.spec\.ts(\?load=\d+)?:9:21/);
});
