import { petStatuses, type PetStatus } from '@pets/contracts';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { OrderSelect, SearchField, StatusFilter, useSearch, type CreationOrder } from '../components/filters.js';
import { Dialog } from '../components/dialog.js';
import { ActionForm } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { EmptyState, StatusPill } from '../components/notice.js';
import { Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import {
  animalsQuery,
  invalidateAnimals,
  parseInteger,
  toWireInteger,
  type Animal,
  type ExactInteger,
} from './store.queries.js';

const text = strings.animals;
const tones = { available: 'good', pending: 'waiting', sold: 'neutral' } as const satisfies Record<PetStatus, string>;

export default function AnimalsPage() {
  const may = useMay();
  const [status, setStatus] = useState<PetStatus | null>(null);
  const search = useSearch();
  const [order, setOrder] = useState<CreationOrder>('-createdAt');
  const [isAdding, setAdding] = useState(false);
  const animals = useInfiniteQuery(animalsQuery({ status, search: search.term, order }));
  const add = may('createPet') && <Button onClick={() => setAdding(true)}>{text.add}</Button>;
  return (
    <Page title={text.title} actions={add}>
      <div className="toolbar">
        <SearchField label={text.search} search={search} maxLength={100} />
        <StatusFilter
          label={text.status}
          statuses={petStatuses}
          labels={text.statuses}
          value={status}
          onChange={setStatus}
        />
        <OrderSelect value={order} onChange={setOrder} />
      </div>
      <Paged query={animals}>
        {(list) =>
          list.length > 0 ? (
            <AnimalsTable animals={list} />
          ) : status !== null || search.term !== '' ? (
            <EmptyState title={text.noneFound} text={text.noneFoundText} />
          ) : (
            <EmptyState title={text.empty} text={text.emptyText}>
              {add}
            </EmptyState>
          )
        }
      </Paged>
      <Dialog opened={isAdding} onClose={() => setAdding(false)} title={text.add}>
        <AddAnimalForm onClose={() => setAdding(false)} />
      </Dialog>
    </Page>
  );
}

/** The client returns IDs that a number would round as `bigint`, so `String` shows every digit. */
function AnimalsTable({ animals }: { readonly animals: readonly Animal[] }) {
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={animals}
        keyOf={({ id }) => String(id)}
        columns={[
          { header: text.id, kind: 'tight', cell: ({ id }) => String(id) },
          { header: text.name, cell: ({ name }) => <strong className="plain-strong">{name}</strong> },
          { header: text.category, kind: 'tight', cell: ({ categoryId }) => String(categoryId) },
          {
            header: text.status,
            kind: 'tight',
            cell: ({ status = 'available' }) => <StatusPill tone={tones[status]}>{text.statuses[status]}</StatusPill>,
          },
        ]}
      />
    </div>
  );
}

function AddAnimalForm({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [category, setCategory] = useState('');
  const [status, setStatus] = useState<PetStatus>('available');
  const [validationError, setValidationError] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: (categoryId: ExactInteger) =>
      dataOf(api().POST('/v1/pets', { body: { name, categoryId: toWireInteger(categoryId), status } })),
    onSuccess: async () => {
      announce(text.added(name));
      onClose();
      await invalidateAnimals(queryClient);
    },
  });
  const submit = () => {
    const categoryId = parseInteger(category);
    setValidationError(categoryId === null ? text.needsInteger : null);
    if (categoryId !== null) add.mutate(categoryId);
  };
  const { texts, isAtField } = fieldErrorsOf(add.error, ['name', 'categoryId']);
  return (
    <ActionForm label={text.add} action={add} onSubmit={submit} isErrorAtField={isAtField}>
      <TextInput
        label={text.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={texts.name}
        required
        data-autofocus
      />
      <TextInput
        label={text.category}
        value={category}
        onChange={(event) => setCategory(event.currentTarget.value)}
        inputMode="numeric"
        error={validationError ?? texts.categoryId}
        required
      />
      <NativeSelect
        label={text.status}
        value={status}
        onChange={({ currentTarget: { value } }) => setStatus(petStatuses.find((each) => each === value) ?? status)}
        data={petStatuses.map((each) => ({ value: each, label: text.statuses[each] }))}
      />
    </ActionForm>
  );
}
