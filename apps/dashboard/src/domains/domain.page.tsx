import { displayName, type Domain } from '@pets/contracts';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { announce } from '../parts/announcer.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { TextLink } from '../parts/text-link.js';
import { strings } from '../strings.js';
import { Certificate } from './certificate.js';
import { Checks } from './checks.js';
import { DomainActions } from './domain-actions.js';
import { domainQuery, historyQuery } from './domains.queries.js';
import { History } from './history.js';
import { Issues } from './issues.js';
import { ObservedRecords } from './observed-records.js';
import { Progress } from './progress.js';
import { RecordsToCreate } from './records-to-create.js';
import { Removal } from './removal.js';
import { StateBadge, stateText } from './state-badge.js';
import { Troubleshooting } from './troubleshooting.js';

interface DomainPageProps {
  readonly projectId: string;
  /** Its id, or, in an address that somebody typed, its name. */
  readonly domain: string;
}

/** Everything of one domain. It brings itself up to date. */
export function DomainPage({ projectId, domain }: DomainPageProps) {
  const query = useQuery(domainQuery(projectId, domain));
  const list = `/projects/${projectId}/settings/domains`;
  const [, navigate] = useLocation();
  const id = query.data?.id;
  useEffect(() => {
    // Events name domains by their id.
    if (id !== undefined && id !== domain) navigate(`${list}/${id}`, { replace: true });
  }, [id, domain, list, navigate]);
  useAnnouncedState(query.data);
  return (
    <Page
      title={query.data === undefined ? strings.domains.title : displayName(query.data)}
      above={
        <Text c="dimmed">
          {strings.navigation.projectSettings}, <TextLink to={list}>{strings.navigation.domains}</TextLink>
        </Text>
      }
      actions={
        query.data && query.data.state !== 'removed' && <DomainActions projectId={projectId} domain={query.data} />
      }
    >
      <Loaded query={query}>{(loaded) => <DomainDetails projectId={projectId} domain={loaded} />}</Loaded>
    </Page>
  );
}

function DomainDetails({ projectId, domain }: { readonly projectId: string; readonly domain: Domain }) {
  const history = useQuery(historyQuery(projectId, domain.id));
  const isRemoved = domain.state === 'removed';
  return (
    <Stack gap="xl">
      <div>
        <StateBadge domain={domain} />
      </div>
      {isRemoved ? (
        <Removal projectId={projectId} domain={domain} />
      ) : (
        <Progress domain={domain} history={history.data ?? []} />
      )}
      <Issues domain={domain} />
      {!isRemoved && <Checks domain={domain} />}
      {!isRemoved && <RecordsToCreate domain={domain} />}
      {!isRemoved && <Certificate domain={domain} />}
      <ObservedRecords domain={domain} />
      <Troubleshooting domain={domain} />
      <History query={history} />
    </Stack>
  );
}

/** A state that changes while one looks is said, not only shown. */
function useAnnouncedState(domain: Domain | undefined): void {
  const before = useRef<string | null>(null);
  const text = domain === undefined ? null : strings.domains.nowIs(domain.unicodeName, stateText(domain));
  useEffect(() => {
    if (before.current !== null && text !== null && text !== before.current) announce(text);
    before.current = text;
  }, [text]);
}
