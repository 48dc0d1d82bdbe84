import { Stack, Text } from '@mantine/core';
import { displayName, type Domain, type DomainHistoryEntry } from '@pets/contracts';
import { localizeTimes, setupTexts } from '@pets/domain-setup';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { showToast } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Loaded, LoadingPage } from '../components/loaded.js';
import { StatusPill, Suspensions } from '../components/notice.js';
import { Fold, NotFound, Page, TextLink } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Day, Instant } from '../components/time.js';
import { DomainOrigin } from '../origin/domain-origin.js';
import { strings } from '../strings.js';
import { Certificate, servedUntil, ServedOwnCertificate } from './certificate.js';
import { DomainButtons, useDomainActions, type DomainActions } from './domain-actions.js';
import { DomainSetup } from './domain-setup.js';
import { deriveStatus } from './domain-status.js';
import { certificateStrings, domainStrings, ownStrings } from './domain-strings.js';
import { domainQuery, historyQuery } from './domains.queries.js';
import { Exclusions } from './exclusions.js';
import { OwnCertificate } from './own-certificate.js';
import { useTwin } from './pair.js';
import { Troubleshooting } from './troubleshooting.js';
import { useWatchedDomains } from './watch-domain.js';

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
  useShownStatus(query.data);
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

/** In every state the same order: the steps, what is next, and all else folded. */
function DomainDetails({ projectId, domain, actions }: DomainDetailsProps) {
  const history = useQuery(historyQuery(projectId, domain.id));
  const twin = useTwin(projectId, domain);
  const isRemoved = domain.state === 'removed';
  useWatchedDomains(
    projectId,
    [domain, twin].flatMap((each) => (each === null || isOver(each) ? [] : [each.id])),
  );
  return (
    <Stack gap="md">
      {/* Those of the project and the organization are above the page. */}
      <Suspensions suspensions={domain.suspensions.filter(({ scope }) => scope === 'domain')} />
      <DomainSetup projectId={projectId} domain={domain} twin={twin} history={history.data ?? []} actions={actions} />
      <div className="folds">
        {!isRemoved && <Certificates projectId={projectId} domain={domain} />}
        {!isRemoved && <DomainOrigin projectId={projectId} domain={domain} />}
        <Fold title={domainStrings.observed} hint={domainStrings.observedCount(domain.dns.observed.length)}>
          <ObservedRecords domain={domain} />
        </Fold>
        <Fold title={domainStrings.history} hint={history.data && domainStrings.historyCount(history.data.length)}>
          <History query={history} />
        </Fold>
        {!isRemoved && <Exclusions projectId={projectId} domain={domain} />}
        <Troubleshooting domain={domain} />
      </div>
    </Stack>
  );
}

/** Whether nothing checks the domain. */
function isOver({ state, suspensions }: Domain): boolean {
  return state === 'removed' || suspensions.length > 0;
}

/** The certificate that visitors get, and the other one. */
function Certificates({ projectId, domain }: Pick<DomainDetailsProps, 'projectId' | 'domain'>) {
  const { certificate, ownCertificate: own } = domain;
  const isOwnServed = own?.isServed === true;
  const until = servedUntil(domain);
  const state = certificate === null ? undefined : certificateStrings.states[certificate.state];
  return (
    <>
      <Fold
        title={certificateStrings.title}
        hint={until === null ? state : <Day at={until} label={certificateStrings.until} />}
      >
        {isOwnServed ? <ServedOwnCertificate own={own} /> : <Certificate domain={domain} />}
      </Fold>
      {isOwnServed && (
        <Fold title={certificateStrings.automatic} hint={state}>
          <Certificate domain={domain} />
        </Fold>
      )}
      <Fold title={ownStrings.title} hint={own && ownStrings.states[own.state]}>
        <OwnCertificate projectId={projectId} domain={domain} />
      </Fold>
    </>
  );
}

/** Shows a change of the status, which the element announces. */
function useShownStatus(domain: Domain | undefined): void {
  const previous = useRef<string | null>(null);
  const text = domain === undefined ? null : setupTexts.nowIs(domain.unicodeName, deriveStatus(domain).text);
  useEffect(() => {
    if (previous.current !== null && text !== null && text !== previous.current) showToast(text);
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

/** The records that name servers returned at the last check. */
function ObservedRecords({ domain: { dns } }: { readonly domain: Domain }) {
  return (
    <DataTable
      label={domainStrings.observed}
      rows={dns.observed}
      keyOf={({ resolver, name, type, value }) => `${resolver} ${name} ${type} ${value}`}
      columns={[
        { header: domainStrings.recordName, cell: ({ name }) => <span className="value">{name}</span> },
        { header: domainStrings.recordType, kind: 'tight', cell: ({ type }) => type },
        {
          header: domainStrings.recordValue,
          cell: ({ value, omitted }) => (
            <span className="value">
              {value} {omitted !== undefined && domainStrings.omitted(omitted)}
            </span>
          ),
        },
        { header: domainStrings.recordTtl, kind: 'tight', cell: ({ ttl }) => ttl ?? '–' },
        { header: domainStrings.resolver, cell: ({ resolver }) => <span className="value">{resolver}</span> },
      ]}
    />
  );
}
