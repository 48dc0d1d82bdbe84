import { displayName, type Domain, type DomainHistoryEntry } from '@pets/contracts';
import { Stack, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { announce } from '../components/announcer.js';
import { Loaded } from '../components/loaded.js';
import { Page, Section, TextLink } from '../components/page.js';
import { Instant } from '../components/time.js';
import { strings } from '../strings.js';
import { DomainActions } from './domain-actions.js';
import { Certificate, Checks, Progress, StateBadge, stateText } from './domain-status.js';
import { domainQuery, historyQuery } from './domains.queries.js';
import { Issues, Troubleshooting } from './issues.js';
import { ObservedRecords, Preparation, RecordsToCreate } from './records.js';
import { RemovalStatus } from './removal.js';

interface DomainPageProps {
  readonly projectId: string;
  /** The ID, or the name in a URL that was typed by hand. */
  readonly domain: string;
}

export function DomainPage({ projectId, domain }: DomainPageProps) {
  const query = useQuery(domainQuery(projectId, domain));
  const list = `/projects/${projectId}/settings/domains`;
  const [, navigate] = useLocation();
  const id = query.data?.id;
  useEffect(() => {
    // Project events identify domains by ID.
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
        <RemovalStatus projectId={projectId} domain={domain} />
      ) : (
        <Progress domain={domain} history={history.data ?? []} />
      )}
      <Issues domain={domain} />
      {!isRemoved && <Checks domain={domain} />}
      {!isRemoved && <RecordsToCreate domain={domain} />}
      {!isRemoved && <Preparation domain={domain} />}
      {!isRemoved && <Certificate domain={domain} />}
      <ObservedRecords domain={domain} />
      <Troubleshooting domain={domain} />
      <History query={history} />
    </Stack>
  );
}

/** Announces a state change to screen readers. */
function useAnnouncedState(domain: Domain | undefined): void {
  const previous = useRef<string | null>(null);
  const text = domain === undefined ? null : strings.domains.nowIs(domain.unicodeName, stateText(domain));
  useEffect(() => {
    if (previous.current !== null && text !== null && text !== previous.current) announce(text);
    previous.current = text;
  }, [text]);
}

/** Newest entry first. */
function History({ query }: { readonly query: UseQueryResult<readonly DomainHistoryEntry[]> }) {
  return (
    <Section title={strings.domains.history}>
      <Loaded query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <Text>{strings.domains.historyEmpty}</Text>
          ) : (
            <ul className="plain-list">
              {entries.toReversed().map(({ number, at, detail, actor }) => (
                <li key={number}>
                  <Text>{detail}</Text>
                  <Text size="sm" c="dimmed">
                    <Instant at={at} />, {actor.display ?? strings.domains.bySystem}
                  </Text>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
