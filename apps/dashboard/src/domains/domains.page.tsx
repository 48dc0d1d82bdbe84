import { Button, NativeSelect } from '@mantine/core';
import type { DomainCounts } from '@pets/contracts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SearchField, StatusFilter, useSearch, type Search } from '../components/filters.js';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { Page } from '../components/page.js';
import { useMay, useOrganization } from '../session/caller.js';
import { strings } from '../strings.js';
import { AddDomain } from './add-domain.js';
import {
  asciiPartOf,
  domainListQuery,
  hasSpecialCharacters,
  listedStatuses,
  listOrders,
  type ListedStatus,
  type ListOrder,
} from './domain-list.query.js';
import { domainStrings } from './domain-strings.js';
import { DomainTable } from './domain-table.js';
import { domainCountsQuery } from './domains.queries.js';
import { ImportDomains, Imports } from './imports.js';

export function DomainsPage({ projectId }: { readonly projectId: string }) {
  const may = useMay();
  const [status, setStatus] = useState<ListedStatus | null>(null);
  const [order, setOrder] = useState<ListOrder>('problems');
  const search = useSearch();
  const part = asciiPartOf(search.term);
  const domains = useInfiniteQuery(domainListQuery(projectId, { status, search: part ?? '', order }));
  const counts = useQuery(domainCountsQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const add = may('addDomain') && <Button onClick={() => setAdding(true)}>{domainStrings.add}</Button>;
  return (
    <Page
      title={domainStrings.title}
      above={<span>{strings.navigation.projectSettings}</span>}
      status={<Usage total={counts.data?.total} />}
      actions={
        <>
          {may('createDomainImport') && (
            <Button variant="default" onClick={() => setImporting(true)}>
              {strings.imports.action}
            </Button>
          )}
          {add}
        </>
      }
    >
      <Imports projectId={projectId} />
      <DomainToolbar {...{ counts: counts.data, search, status, order }} onStatus={setStatus} onOrder={setOrder} />
      {part === null ? (
        <NoneFound term={search.term} />
      ) : (
        <Paged query={domains}>
          {(list) => {
            if (list.length > 0) return <DomainTable projectId={projectId} domains={list} />;
            if (status !== null || part !== '') return <NoneFound term={search.term} />;
            return (
              <EmptyState title={domainStrings.emptyTitle} text={domainStrings.empty}>
                {add}
              </EmptyState>
            );
          }}
        </Paged>
      )}
      <AddDomain projectId={projectId} opened={isAdding} onClose={() => setAdding(false)} />
      <ImportDomains projectId={projectId} opened={isImporting} onClose={() => setImporting(false)} />
    </Page>
  );
}

/** No domain matches the search and the status. */
function NoneFound({ term }: { readonly term: string }) {
  const { noneFound, noneFoundText, wholeLabels } = domainStrings;
  return <EmptyState title={noneFound} text={hasSpecialCharacters(term) ? wholeLabels : noneFoundText} />;
}

/** The number of domains against the limit of the plan; empty until both are known. */
function Usage({ total }: { readonly total: number | undefined }) {
  const { data } = useOrganization();
  if (data === undefined || total === undefined) return null;
  return <span className="muted">{strings.usage(total, data.limits.domainsPerProject)}</span>;
}

interface DomainToolbarProps {
  readonly counts: DomainCounts | undefined;
  readonly search: Search;
  readonly status: ListedStatus | null;
  readonly order: ListOrder;
  readonly onStatus: (status: ListedStatus | null) => void;
  readonly onOrder: (order: ListOrder) => void;
}

/** Search, status filter and order of the list. */
function DomainToolbar({ counts, search, status, order, onStatus, onOrder }: DomainToolbarProps) {
  return (
    <div className="toolbar">
      <SearchField label={domainStrings.search} search={search} maxLength={253} />
      <StatusFilter
        label={domainStrings.status}
        statuses={listedStatuses}
        labels={labelsOf(counts)}
        value={status}
        onChange={onStatus}
      />
      <NativeSelect
        label={strings.order}
        value={order}
        onChange={({ currentTarget: { value } }) => onOrder(listOrders.find((each) => each === value) ?? order)}
        data={listOrders.map((value) => ({ value, label: domainStrings.orders[value] }))}
      />
    </div>
  );
}

/** Labels with the number of domains, once it is known. */
function labelsOf(counts: DomainCounts | undefined): Record<ListedStatus, string> {
  const { listed } = domainStrings;
  if (counts === undefined) return listed;
  const numbers = { ...counts.byState, misconfigured: counts.misconfigured };
  const labels = listedStatuses.map((status) => [status, `${listed[status]} (${numbers[status]})`]);
  return Object.fromEntries(labels) as Record<ListedStatus, string>; // every status is there
}
