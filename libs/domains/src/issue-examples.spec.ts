import { expect, it } from '@jest/globals';
import { issueCodes } from '@pets/contracts';
// Loads the rest of the code outside of the test, as other tests do.
import './index.js';

it.each(issueCodes)('%s has an example of its own, with nothing unknown in it', async (code) => {
  // It evaluates the examples when it is loaded: outside of a test, `npm run mutate` would run every test for these changes.
  const { issueExamples } = await import('./issue-examples.js');
  const { issue } = issueExamples[code];
  expect(issue.code).toBe(code);
  expect(`${issue.message} ${issue.remediation}`).not.toMatch(/unknown|undefined|\[object/);
});
