import { displayName, type Domain, type DomainCounts } from '@pets/contracts';
import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { StatusFilter } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { Page, TextLink } from '../components/page.js';
import { strings } from '../strings.js';
import { AddDomain } from './add-domain.js';
import { ImportDomains } from './import-domains.js';
import { Imports } from './imports.js';
import { DomainMenu } from './domain-actions.js';
import { StateBadge } from './domain-status.js';
import { domainCountsQuery, domainListQuery, listedStatuses, type ListedStatus } from './domains.queries.js';

/** Typing pauses this long before the list is searched. */
const SEARCH_DELAY_MS = 250;

export function DomainsPage({ projectId }: { readonly projectId: string }) {
  const [status, setStatus] = useState<ListedStatus | null>(null);
  const [search, setSearch] = useState('');
  const [prefix] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const domains = useInfiniteQuery(domainListQuery(projectId, { status, prefix }));
  const counts = useQuery(domainCountsQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const isFiltered = status !== null || prefix !== '';
  return (
    <Page
      title={strings.domains.title}
      above={<Text c="dimmed">{strings.navigation.projectSettings}</Text>}
      actions={
        <>
          <Button variant="default" onClick={() => setImporting(true)}>
            {strings.imports.action}
          </Button>
          <Button onClick={() => setAdding(true)}>{strings.domains.add}</Button>
        </>
      }
    >
      <Imports projectId={projectId} />
      <Group align="end">
        <TextInput
          label={strings.domains.search}
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          maxLength={253}
        />
        <StatusFilter
          label={strings.domains.status}
          statuses={listedStatuses}
          labels={labelsOf(counts.data)}
          value={status}
          onChange={setStatus}
        />
      </Group>
      <Paged query={domains}>
        {(list) =>
          list.length === 0 ? (
            <Text>{isFiltered ? strings.domains.noneFound : strings.domains.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((domain) => (
                <DomainCard key={domain.id} projectId={projectId} domain={domain} />
              ))}
            </ul>
          )
        }
      </Paged>
      <AddDomain projectId={projectId} opened={isAdding} onClose={() => setAdding(false)} />
      <ImportDomains projectId={projectId} opened={isImporting} onClose={() => setImporting(false)} />
    </Page>
  );
}

/** With the number of domains, once it is known. */
function labelsOf(counts: DomainCounts | undefined): Record<ListedStatus, string> {
  const { listed } = strings.domains;
  if (counts === undefined) return listed;
  const numbers = { ...counts.byState, misconfigured: counts.misconfigured };
  const labels = listedStatuses.map((status) => [status, `${listed[status]} (${numbers[status]})`]);
  return Object.fromEntries(labels) as Record<ListedStatus, string>; // every status is there
}

interface DomainCardProps {
  readonly projectId: string;
  readonly domain: Domain;
}

function DomainCard({ projectId, domain }: DomainCardProps) {
  const issue = domain.issues.find(({ severity }) => severity === 'error') ?? domain.issues[0];
  return (
    <Card component="li" withBorder>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="start">
          <Group gap="sm">
            <Text component="h2" fw={600} className="page-title">
              <TextLink to={`/projects/${projectId}/settings/domains/${domain.id}`}>{displayName(domain)}</TextLink>
            </Text>
            <StateBadge domain={domain} />
          </Group>
          <DomainMenu projectId={projectId} domain={domain} />
        </Group>
        {domain.externalId !== null && (
          <Text size="sm" c="dimmed">
            {domain.externalId}
          </Text>
        )}
        {issue !== undefined && <Text size="sm">{issue.message}</Text>}
      </Stack>
    </Card>
  );
}
