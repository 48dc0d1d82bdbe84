import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { strings } from '../strings.js';

/** Typing pauses this long before a list is searched. */
const SEARCH_DELAY_MS = 250;

/** State of the search field of a list. */
export interface Search {
  readonly text: string;
  /** Search term: the text without spaces around it, once typing pauses. */
  readonly term: string;
  readonly setText: (text: string) => void;
}

export function useSearch(): Search {
  const [text, setText] = useState('');
  const [term] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  return { text, term, setText };
}

interface SearchFieldProps {
  readonly label: string;
  readonly search: Search;
  /** The longest text that can match, in characters. */
  readonly maxLength: number;
}

export function SearchField({ label, search, maxLength }: SearchFieldProps) {
  return (
    <TextInput
      className="toolbar-grow"
      label={label}
      type="search"
      value={search.text}
      onChange={(event) => search.setText(event.currentTarget.value)}
      maxLength={maxLength}
    />
  );
}

/** The orders of lists that the API sorts by creation. */
const creationOrders = ['-createdAt', 'createdAt'] as const;
export type CreationOrder = (typeof creationOrders)[number];

interface OrderSelectProps {
  readonly value: CreationOrder;
  readonly onChange: (order: CreationOrder) => void;
}

/** Sorts a list by creation. */
export function OrderSelect({ value, onChange }: OrderSelectProps) {
  return (
    <NativeSelect
      label={strings.order}
      value={value}
      onChange={(event) => onChange(creationOrders.find((each) => each === event.currentTarget.value) ?? value)}
      data={creationOrders.map((each) => ({ value: each, label: strings.orderNames[each] }))}
    />
  );
}

interface StatusFilterProps<Status extends string> {
  readonly label: string;
  readonly statuses: readonly Status[];
  readonly labels: Readonly<Record<Status, string>>;
  /** Null: all. */
  readonly value: Status | null;
  readonly onChange: (status: Status | null) => void;
}

/** Limits a list to one status. */
export function StatusFilter<Status extends string>(props: StatusFilterProps<Status>) {
  const { label, statuses, labels, value, onChange } = props;
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(statuses.find((each) => each === event.currentTarget.value) ?? null)}
      data={[{ value: '', label: strings.all }, ...statuses.map((each) => ({ value: each, label: labels[each] }))]}
    />
  );
}
