import { expect, it } from '@jest/globals';
import { domainSchema, webhookEventCatalog, type DomainIssue } from '@pets/contracts';
import { describeIssue } from '../src/issues/issue-catalog.js';

const examples = Object.entries(webhookEventCatalog).flatMap(([type, { resource, example }]) =>
  resource === 'Domain' ? domainSchema.parse(example).issues.map((issue): [string, DomainIssue] => [type, issue]) : [],
);

it.each(examples)('the issue in the example of %s is as the API writes it', (_type, issue) => {
  expect(issue).toEqual(describeIssue(issue.code, issue.evidence));
});
