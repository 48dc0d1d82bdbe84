import { expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { issueCodes } from '@pets/contracts';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { anyProvider } from '@pets/dns-providers';
import { formatInstant } from '@pets/domain-setup';
import { Causes } from '../src/domains/issues.js';
import { RecordsAtProvider } from '../src/domains/records-at-provider.js';
import { domainWithIssue } from './issue-example.js';

/** The text of a page, one line for each block, with times as the API sends them. */
function textOf(markup: string, times: readonly string[]): string {
  const entities: Readonly<Record<string, string>> = { '&quot;': '"', '&amp;': '&', '&#x27;': "'", '&lt;': '<' };
  const text = withoutChoices(markup)
    .replaceAll(/<style[^<]*<\/style>/g, '')
    .replaceAll(/<\/?(?:div|p|li|dt|dd|tr|td|th|section|h2|option|summary|button)\b[^<>]*>/g, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&[\w#]+;/g, (entity) => entities[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
  return times.reduce((shown, time) => shown.replaceAll(formatInstant(time), time), text);
}

/** The providers to choose from are the same everywhere. */
function withoutChoices(markup: string): string {
  const [before, ...others] = markup.split('<select');
  return [before, ...others.map((part) => part.slice(part.indexOf('</select>')))].join('');
}

const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);

it.each(issueCodes)('an owner reads what is wrong and what to do: %s', (code) => {
  const domain = domainWithIssue(code);
  const choice = { provider: anyProvider, detected: null, choose: () => {} };
  const causes = createElement(Causes, { domain });
  const page = createElement('div', null, causes, createElement(RecordsAtProvider, { domains: [domain], choice }));
  const markup = renderToStaticMarkup(createElement(MantineProvider, null, page));
  const times = Object.values(domain.issues[0]?.evidence ?? {})
    .filter(isTime)
    .map(String);
  expect(textOf(markup, times)).toMatchSnapshot();
});
