import { Anchor, Group, Stack, Text } from '@mantine/core';
import { displayName, type Domain, type DomainHistoryEntry } from '@pets/contracts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Loaded, LoadingPage } from '../components/loaded.js';
import { StatusPill, Suspensions } from '../components/notice.js';
import { Fold, NotFound, Page, Section, TextLink } from '../components/page.js';
import { Instant } from '../components/time.js';
import { localizeTimes } from '../format.js';
import { strings } from '../strings.js';
import { Certificate, ServedOwnCertificate } from './certificate.js';
import { CheckLine, DomainButtons, useDomainActions, type DomainActions } from './domain-actions.js';
import { deriveStatus, recordsComeFirst } from './domain-status.js';
import { certificateStrings, domainStrings, ownStrings } from './domain-strings.js';
import { domainQuery, historyQuery } from './domains.queries.js';
import { Exclusions } from './exclusions.js';
import { Issues, Troubleshooting } from './issues.js';
import { OwnCertificate } from './own-certificate.js';
import { Progress } from './progress.js';
import { ObservedRecords, Preparation, RecordsToCreate, RecordsToKeep } from './records.js';
import { RemovalStatus } from './removal.js';

interface DomainPageProps {
  readonly projectId: string;
  /** The ID, or the name in a URL that was typed by hand. */
  readonly domain: string;
}

export default function DomainPage({ projectId, domain }: DomainPageProps) {
  const query = useQuery(domainQuery(projectId, domain));
  const list = `/projects/${projectId}/settings/domains`;
  const [, navigate] = useLocation();
  const id = query.data?.id;
  useEffect(() => {
    // Project events identify domains by ID.
    if (id !== undefined && id !== domain) navigate(`${list}/${id}`, { replace: true });
  }, [id, domain, list, navigate]);
  useAnnouncedStatus(query.data);
  return (
    <Loaded
      query={query}
      loading={<LoadingPage title={domainStrings.name} />}
      missing={<NotFound text={domainStrings.notFound} to={list} back={domainStrings.back} />}
    >
      {(loaded) => <LoadedDomain projectId={projectId} domain={loaded} readAtMs={query.dataUpdatedAt} />}
    </Loaded>
  );
}

interface LoadedDomainProps {
  readonly projectId: string;
  readonly domain: Domain;
  readonly readAtMs: number;
}

function LoadedDomain({ projectId, domain, readAtMs }: LoadedDomainProps) {
  const actions = useDomainActions(projectId, domain, readAtMs);
  const status = deriveStatus(domain);
  const isRemoved = domain.state === 'removed';
  return (
    <Page
      title={displayName(domain)}
      above={
        <>
          <span>{strings.navigation.projectSettings}</span>
          <TextLink to={`/projects/${projectId}/settings/domains`}>{strings.navigation.domains}</TextLink>
        </>
      }
      status={<StatusPill tone={status.tone}>{status.text}</StatusPill>}
      actions={!isRemoved && <DomainButtons projectId={projectId} domain={domain} actions={actions} />}
      below={<ActionError error={actions.error} />}
    >
      <DomainDetails projectId={projectId} domain={domain} actions={actions} />
    </Page>
  );
}

interface DomainDetailsProps {
  readonly projectId: string;
  readonly domain: Domain;
  readonly actions: DomainActions;
}

/** First what to do now: the records of a domain that waits, what is wrong, or the site. */
function DomainDetails({ projectId, domain, actions }: DomainDetailsProps) {
  const history = useQuery(historyQuery(projectId, domain.id));
  const isLive = domain.state === 'live';
  const isRemoved = domain.state === 'removed';
  const needsRecords = recordsComeFirst(domain);
  const isOwnServed = domain.ownCertificate?.isServed === true;
  return (
    <Stack gap="lg">
      {isRemoved && <RemovalStatus projectId={projectId} domain={domain} />}
      {/* Those of the project and the organization are above the page. */}
      <Suspensions suspensions={domain.suspensions.filter(({ scope }) => scope === 'domain')} />
      {isLive && !needsRecords && <Site domain={domain} actions={actions} />}
      {needsRecords && <RecordsToCreate domain={domain} />}
      {!isRemoved && <CheckLine domain={domain} actions={actions} />}
      <Issues domain={domain} shown={needsRecords ? domain.records : []} />
      {isLive && needsRecords && <Site domain={domain} actions={actions} />}
      <Preparation domain={domain} />
      {!isRemoved && <Progress domain={domain} history={history.data ?? []} />}
      <Troubleshooting domain={domain} />
      {!isRemoved && (!isLive || isOwnServed) && (
        <Fold
          title={isOwnServed ? certificateStrings.automatic : certificateStrings.title}
          hint={domain.certificate === null ? undefined : certificateStrings.states[domain.certificate.state]}
          isOpen={domain.certificate !== null && !isOwnServed}
        >
          <Certificate domain={domain} refusedMs={actions.refusedMs} />
        </Fold>
      )}
      {!isRemoved && (
        <Fold title={ownStrings.title} hint={domain.ownCertificate && ownStrings.states[domain.ownCertificate.state]}>
          <OwnCertificate projectId={projectId} domain={domain} />
        </Fold>
      )}
      {!isRemoved && <Exclusions projectId={projectId} domain={domain} />}
      {!isRemoved && !needsRecords && (
        <Fold title={domainStrings.recordsToKeep}>
          <RecordsToKeep domain={domain} />
        </Fold>
      )}
      {domain.dns.observed.length > 0 && (
        <Fold title={domainStrings.observed} hint={domainStrings.observedCount(domain.dns.observed.length)}>
          <ObservedRecords domain={domain} />
        </Fold>
      )}
      <Fold
        title={domainStrings.history}
        hint={history.data && domainStrings.historyCount(history.data.length)}
        isOpen={isLive || isRemoved}
      >
        <History query={history} />
      </Fold>
    </Stack>
  );
}

/** The site and the certificate that its visitors get. */
function Site({ domain, actions }: Pick<DomainDetailsProps, 'domain' | 'actions'>) {
  const own = domain.ownCertificate;
  return (
    <Section title={certificateStrings.title} isCard>
      <Group gap="xs">
        <SiteName domain={domain} />
      </Group>
      {own?.isServed === true ? (
        <ServedOwnCertificate own={own} />
      ) : (
        <Certificate domain={domain} refusedMs={actions.refusedMs} />
      )}
    </Section>
  );
}

/** A link, except for a wildcard: it is no address. */
function SiteName({ domain: { name, unicodeName } }: { readonly domain: Domain }) {
  if (name.startsWith('*.')) return <span>{unicodeName}</span>;
  return (
    <Anchor href={`https://${name}/`} target="_blank" rel="noreferrer" underline="always" className="text-link">
      https://{unicodeName}
      <span aria-hidden="true"> ↗</span>
      <span className="visually-hidden"> ({domainStrings.visit})</span>
    </Anchor>
  );
}

/** Announces a change of the status. */
function useAnnouncedStatus(domain: Domain | undefined): void {
  const previous = useRef<string | null>(null);
  const text = domain === undefined ? null : domainStrings.nowIs(domain.unicodeName, deriveStatus(domain).text);
  useEffect(() => {
    if (previous.current !== null && text !== null && text !== previous.current) announce(text);
    previous.current = text;
  }, [text]);
}

/** Newest entry first. */
function History({ query }: { readonly query: UseQueryResult<readonly DomainHistoryEntry[]> }) {
  return (
    <Loaded query={query}>
      {(entries) =>
        entries.length === 0 ? (
          <Text>{domainStrings.historyEmpty}</Text>
        ) : (
          <ul className="history">
            {entries.toReversed().map(({ number, at, detail, actor }) => (
              <li key={number}>
                <span>{localizeTimes(detail)}</span>
                <Text component="span" size="sm" c="dimmed">
                  <Instant at={at} />, {actor.display ?? domainStrings.bySystem}
                </Text>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
