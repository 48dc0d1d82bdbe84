import { expect, it } from '@jest/globals';
import { issueCodes } from '@pets/contracts';
import { describeIssue } from './issues.js';

it.each(issueCodes)('%s says what was seen and what to do, in whole sentences', (code) => {
  const { message, remediation } = describeIssue(code, {
    name: 'docs.example.com',
    seen: ['203.0.113.1'],
    expected: 'target.example',
  });
  expect(message).toMatch(/^[A-Z\w].*[.:]?\S$/);
  expect(remediation).toMatch(/^[A-Z].{10,}/);
});
