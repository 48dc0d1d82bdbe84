import { petStatuses, type PetStatus } from '@pets/contracts';
import { Button, NativeSelect, Table, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { parseInteger, toWireInteger, type ExactInteger } from '../api/exact-integer.js';
import { announce } from '../components/announcer.js';
import { ActionForm, Dialog, StatusFilter } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { Page } from '../components/page.js';
import { strings } from '../strings.js';
import { animalsQuery, invalidateAnimals, type Animal } from './store.queries.js';

const text = strings.animals;

export default function AnimalsPage() {
  const [status, setStatus] = useState<PetStatus | null>(null);
  const [isAdding, setAdding] = useState(false);
  const animals = useInfiniteQuery(animalsQuery(status));
  return (
    <Page title={text.title} actions={<Button onClick={() => setAdding(true)}>{text.add}</Button>}>
      <StatusFilter
        label={text.status}
        statuses={petStatuses}
        labels={text.statuses}
        value={status}
        onChange={setStatus}
      />
      <Paged query={animals}>
        {(list) => (list.length === 0 ? <Text>{text.empty}</Text> : <AnimalsTable animals={list} />)}
      </Paged>
      <AddAnimal opened={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

/** The client returns IDs that a number would round as `bigint`, so `String` shows every digit. */
function AnimalsTable({ animals }: { readonly animals: readonly Animal[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label={text.title}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.id}</Table.Th>
            <Table.Th>{text.name}</Table.Th>
            <Table.Th>{text.category}</Table.Th>
            <Table.Th>{text.status}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {animals.map(({ id, name, categoryId, status }) => (
            <Table.Tr key={String(id)}>
              <Table.Td>{String(id)}</Table.Td>
              <Table.Td className="page-title">{name}</Table.Td>
              <Table.Td>{String(categoryId)}</Table.Td>
              <Table.Td>{text.statuses[status ?? 'available']}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface AddAnimalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function AddAnimal({ opened, onClose }: AddAnimalProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={text.add}>
      <AddAnimalForm onClose={onClose} />
    </Dialog>
  );
}

function AddAnimalForm({ onClose }: Pick<AddAnimalProps, 'onClose'>) {
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
  return (
    <ActionForm label={text.add} action={add} onSubmit={submit}>
      <TextInput
        label={text.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label={text.category}
        value={category}
        onChange={(event) => setCategory(event.currentTarget.value)}
        inputMode="numeric"
        error={validationError}
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
