import { describe, expect, it } from '@jest/globals';
import { issueCodes } from '@pets/contracts';
import { describeIssue } from './describe-issue.js';
import { issueCatalog } from './issue-catalog.js';

describe.each(issueCodes)('%s', (code) => {
  const { title, severity, resolvesAutomatically, example } = issueCatalog[code];

  it('has a short title of its own, which fits after “Live · ”', () => {
    expect(title).toMatch(/^(?:[a-z]|[A-Z]{2})[\w ]{0,28}[a-z]$/i);
    expect(issueCodes.filter((other) => issueCatalog[other].title === title)).toEqual([code]);
  });

  it('has an example with nothing unknown in its texts', () => {
    const { message, cause, remediation, evidence } = describeIssue(code, example);
    expect(`${message} ${cause} ${remediation}`).not.toMatch(/unknown|undefined|\[object/);
    expect(evidence).toEqual(example);
  });

  it('is no error if it resolves automatically', () => {
    expect([severity, resolvesAutomatically]).not.toEqual(['error', true]);
  });
});
