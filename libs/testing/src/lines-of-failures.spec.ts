import { expect, it } from '@jest/globals';

/** Absent in the compiled code, so that its line numbers differ. */
interface WithStack {
  readonly stack: string;
}

it('a stack names the line of the source', () => {
  const { stack } = new Error('test') as WithStack;
  expect(stack).toMatch(/lines-of-failures\.spec\.ts(\?load=\d+)?:9:21/);
});
