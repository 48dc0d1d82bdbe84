import type { DomainCounts } from '@pets/contracts';
import { NativeSelect } from '@mantine/core';
import { SearchField, StatusFilter, type Search } from '../components/filters.js';
import { strings } from '../strings.js';
import { listedStatuses, listOrders, type ListedStatus, type ListOrder } from './domain-list.query.js';
import { domainStrings } from './domain-strings.js';

interface DomainToolbarProps {
  readonly counts: DomainCounts | undefined;
  readonly search: Search;
  readonly status: ListedStatus | null;
  readonly order: ListOrder;
  readonly onStatus: (status: ListedStatus | null) => void;
  readonly onOrder: (order: ListOrder) => void;
}

/** Search, status filter and order of the list. */
export function DomainToolbar({ counts, search, status, order, onStatus, onOrder }: DomainToolbarProps) {
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

/** With the number of domains, once it is known. */
function labelsOf(counts: DomainCounts | undefined): Record<ListedStatus, string> {
  const { listed } = domainStrings;
  if (counts === undefined) return listed;
  const numbers = { ...counts.byState, misconfigured: counts.misconfigured };
  const labels = listedStatuses.map((status) => [status, `${listed[status]} (${numbers[status]})`]);
  return Object.fromEntries(labels) as Record<ListedStatus, string>; // every status is there
}
