import type { Domain } from '@pets/contracts';
import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { Page } from '../components/page.js';
import { organizationQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';
import { AddDomain } from './add-domain.js';
import { domainListQuery, type ListedStatus, type ListOrder } from './domain-list.query.js';
import { DomainTable } from './domain-table.js';
import { domainStrings } from './domain-strings.js';
import { DomainToolbar } from './domain-toolbar.js';
import { domainCountsQuery } from './domains.queries.js';
import { ImportDomains } from './import-domains.js';
import { Imports } from './imports.js';

/** Typing pauses this long before the list is searched. */
const SEARCH_DELAY_MS = 250;

export function DomainsPage({ projectId }: { readonly projectId: string }) {
  const [status, setStatus] = useState<ListedStatus | null>(null);
  const [order, setOrder] = useState<ListOrder>('problems');
  const [search, setSearch] = useState('');
  const [prefix] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const domains = useInfiniteQuery(domainListQuery(projectId, { status, prefix, order }));
  const counts = useQuery(domainCountsQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const add = <Button onClick={() => setAdding(true)}>{domainStrings.add}</Button>;
  return (
    <Page
      title={domainStrings.title}
      above={<span>{strings.navigation.projectSettings}</span>}
      status={<Usage total={counts.data?.total} />}
      actions={
        <>
          <Button variant="default" onClick={() => setImporting(true)}>
            {strings.imports.action}
          </Button>
          {add}
        </>
      }
    >
      <Imports projectId={projectId} />
      <DomainToolbar
        {...{ counts: counts.data, search, status, order }}
        onSearch={setSearch}
        onStatus={setStatus}
        onOrder={setOrder}
      />
      <Paged query={domains}>
        {(list) => <List projectId={projectId} domains={list} isFiltered={status !== null || prefix !== ''} />}
      </Paged>
      <AddDomain projectId={projectId} opened={isAdding} onClose={() => setAdding(false)} />
      <ImportDomains projectId={projectId} opened={isImporting} onClose={() => setImporting(false)} />
    </Page>
  );
}

interface ListProps {
  readonly projectId: string;
  readonly domains: readonly Domain[];
  readonly isFiltered: boolean;
}

function List({ projectId, domains, isFiltered }: ListProps) {
  if (domains.length > 0) return <DomainTable projectId={projectId} domains={domains} />;
  if (isFiltered) return <EmptyState title={domainStrings.noneFound} text={domainStrings.noneFoundText} />;
  return <EmptyState title={domainStrings.emptyTitle} text={domainStrings.empty} />;
}

/** The number of domains against the limit of the plan; empty until both are known. */
function Usage({ total }: { readonly total: number | undefined }) {
  const { data } = useQuery(organizationQuery);
  if (data === undefined || total === undefined) return null;
  return <span className="muted">{domainStrings.usage(total, data.limits.domainsPerProject)}</span>;
}
