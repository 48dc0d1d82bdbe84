import type { DomainCounts } from '@pets/contracts';
import { NativeSelect, TextInput } from '@mantine/core';
import { StatusFilter } from '../components/form.js';
import { listedStatuses, listOrders, type ListedStatus, type ListOrder } from './domain-list.query.js';
import { domainStrings } from './domain-strings.js';

interface DomainToolbarProps {
  readonly counts: DomainCounts | undefined;
  readonly search: string;
  readonly status: ListedStatus | null;
  readonly order: ListOrder;
  readonly onSearch: (search: string) => void;
  readonly onStatus: (status: ListedStatus | null) => void;
  readonly onOrder: (order: ListOrder) => void;
}

/** Search, status filter and order of the list. */
export function DomainToolbar({ counts, search, status, order, onSearch, onStatus, onOrder }: DomainToolbarProps) {
  return (
    <div className="toolbar">
      <TextInput
        className="toolbar-grow"
        label={domainStrings.search}
        type="search"
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        maxLength={253}
      />
      <StatusFilter
        label={domainStrings.status}
        statuses={listedStatuses}
        labels={labelsOf(counts)}
        value={status}
        onChange={onStatus}
      />
      <NativeSelect
        label={domainStrings.order}
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
