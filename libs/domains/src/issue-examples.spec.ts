import { expect, it } from '@jest/globals';
import { issueCodes } from '@pets/contracts';
import { issueExamples } from './issue-examples.js';

it.each(issueCodes)('%s has an example of its own, with nothing unknown in it', (code) => {
  const { issue } = issueExamples[code];
  expect(issue.code).toBe(code);
  expect(`${issue.message} ${issue.remediation}`).not.toMatch(/unknown|undefined|\[object/);
});
