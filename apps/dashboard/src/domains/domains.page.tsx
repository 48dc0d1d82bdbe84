import { displayName, type Domain } from '@pets/contracts';
import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../components/loaded.js';
import { Page, TextLink } from '../components/page.js';
import { strings } from '../strings.js';
import { AddDomain } from './add-domain.js';
import { DomainMenu } from './domain-actions.js';
import { StateBadge } from './domain-status.js';
import { domainsQuery } from './domains.queries.js';

export function DomainsPage({ projectId }: { readonly projectId: string }) {
  const domains = useQuery(domainsQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title={strings.domains.title}
      above={<Text c="dimmed">{strings.navigation.projectSettings}</Text>}
      actions={<Button onClick={() => setAdding(true)}>{strings.domains.add}</Button>}
    >
      <Loaded query={domains}>
        {(list) =>
          list.length === 0 ? (
            <Text>{strings.domains.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((domain) => (
                <DomainCard key={domain.id} projectId={projectId} domain={domain} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <AddDomain projectId={projectId} opened={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
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
        {issue !== undefined && <Text size="sm">{issue.message}</Text>}
      </Stack>
    </Card>
  );
}
