import { expect, it } from '@jest/globals';
import { issueCodes } from '@pets/contracts';

it.each(issueCodes)('%s has an example of its own, with nothing unknown in it', async (code) => {
  // Loading it evaluates the examples: outside of a test, `npm run mutate` would count that for every test.
  const { issueExamples } = await import('./issue-examples.js');
  const { issue } = issueExamples[code];
  expect(issue.code).toBe(code);
  expect(`${issue.message} ${issue.remediation}`).not.toMatch(/unknown|undefined|\[object/);
});
