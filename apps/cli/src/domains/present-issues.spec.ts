import { expect, it } from '@jest/globals';
import { issueCodes } from '@pets/contracts';
import { describeIssue, issueCatalog } from '@pets/domains';
import { presentIssues } from './present-domain.js';

const style = {
  onStdout: (_format: unknown, text: string) => text,
  prose: (text: string) => text,
  time: (instant: string) => instant,
  width: 80,
};

it.each(issueCodes)('an owner reads what is wrong and what to do: %s', (code) => {
  expect(presentIssues([describeIssue(code, issueCatalog[code].example)], style)).toMatchSnapshot();
});
