import { Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { components } from '@pets/client';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { ActionError } from '../components/error.js';
import { ActionButton } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { Section } from '../components/page.js';

type Explanation = components['schemas']['Explanation'];
type Hop = Explanation['hops'][number];

const text = {
  title: 'Test a URL',
  about: 'Shows what visitors get at a URL of this project, redirect by redirect, and what decides it.',
  url: 'URL',
  test: 'Test',
  hops: 'Answers, in order',
  line: (line: number) => `Line ${line} of _redirects`,
  ends: {
    answer: (status: number | null, redirects: number) =>
      `${status === null ? 'The application answers' : `Status ${status}`} ${redirects === 0 ? 'at once' : `after ${redirects} ${redirects === 1 ? 'redirect' : 'redirects'}`}.`,
    other_host: 'It leads to a host that this project does not serve.',
    loop: 'It redirects in a loop.',
    too_many_redirects: 'There is no page after ten redirects.',
  },
  reasons: {
    https: 'Plain HTTP redirects to HTTPS.',
    domain_redirect: 'A redirect between domains, or to the primary domain.',
    address: 'The page has this address.',
    file: 'A file at this address.',
    not_found_page: 'Nothing is at this address.',
    not_found: 'Nothing is at this address, and the deployment has no 404.html.',
    not_published: 'The project has no deployment.',
    certificate_pending: 'The domain has no certificate yet.',
    suspended: 'The site is suspended.',
    malformed: 'The address is not valid.',
    application: 'The application of the project answers.',
  },
  fallback: '200.html, where nothing else applies.',
  needsLink: 'Only visitors with a link of the channel get this; others get 401.',
} as const;

/** A field for a URL of the project, and what visitors get there. */
export function TestUrl({ projectId, url: siteUrl }: { readonly projectId: string; readonly url: string }) {
  const [url, setUrl] = useState(siteUrl);
  const test = useMutation({
    mutationFn: () =>
      dataOf(api().GET('/v1/projects/{projectId}/explain', { params: { path: { projectId }, query: { url } } })),
  });
  return (
    <Section title={text.title} isCard>
      <Text c="dimmed">{text.about}</Text>
      <form
        role="search"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!test.isPending) test.mutate();
        }}
      >
        <Group align="end">
          <TextInput
            flex={1}
            miw="16rem"
            label={text.url}
            type="url"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <ActionButton type="submit" isBusy={test.isPending}>
            {text.test}
          </ActionButton>
        </Group>
      </form>
      <ActionError error={test.error} />
      <div aria-live="polite">{test.data !== undefined && <Answers explanation={test.data} />}</div>
    </Section>
  );
}

function Answers({ explanation: { hops, end } }: { readonly explanation: Explanation }) {
  const status = hops.at(-1)?.status ?? null;
  const isGood = end === 'other_host' || (end === 'answer' && (status === 200 || status === null));
  const redirects = hops.filter(({ location }) => location !== null).length;
  return (
    <>
      <Notice tone={isGood ? 'good' : 'warning'}>
        {end === 'answer' ? text.ends.answer(status, redirects) : text.ends[end]}
      </Notice>
      <ol aria-label={text.hops}>
        {hops.map((hop) => (
          <li key={hop.url}>
            <code>{hop.status === null ? hop.url : `${hop.status} ${hop.url}`}</code>
            <br />
            {reasonOf(hop)}
            {(hop.location ?? hop.file) !== null && (
              <>
                {' → '}
                <code>{hop.location ?? hop.file}</code>
              </>
            )}
            {hop.needsLink && (
              <>
                <br />
                {text.needsLink}
              </>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function reasonOf({ reason, rule }: Hop): string {
  if (reason !== 'rule') return text.reasons[reason];
  return rule === null || rule.line === 0
    ? text.fallback
    : `${text.line(rule.line)}: ${rule.from} ${rule.to} ${rule.status}.`;
}
