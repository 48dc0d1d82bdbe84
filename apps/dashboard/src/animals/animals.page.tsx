import { petStatuses } from '@pets/contracts';
import { Button, NativeSelect, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Page } from '../parts/page.js';
import { Paged } from '../parts/paged.js';
import { strings } from '../strings.js';
import { AddAnimal } from './add-animal.js';
import { animalsQuery, type Animal } from './animals.queries.js';

const words = strings.animals;

/** The catalogue of animals. */
export default function AnimalsPage() {
  const [chosen, setChosen] = useState('');
  const [isAdding, setAdding] = useState(false);
  const status = petStatuses.find((each) => each === chosen) ?? null;
  const animals = useInfiniteQuery(animalsQuery(status));
  return (
    <Page title={words.title} actions={<Button onClick={() => setAdding(true)}>{words.add}</Button>}>
      <NativeSelect
        label={words.status}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={[
          { value: '', label: words.all },
          ...petStatuses.map((each) => ({ value: each, label: words.statuses[each] })),
        ]}
        maw="14rem"
      />
      <Paged query={animals}>
        {(list) => (list.length === 0 ? <Text>{words.empty}</Text> : <AnimalsTable animals={list} />)}
      </Paged>
      <AddAnimal opened={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

/** Identifiers are shown with every digit: the client hands those on that a number would round. */
function AnimalsTable({ animals }: { readonly animals: readonly Animal[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label={words.title}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.id}</Table.Th>
            <Table.Th>{words.name}</Table.Th>
            <Table.Th>{words.category}</Table.Th>
            <Table.Th>{words.status}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {animals.map(({ id, name, categoryId, status }) => (
            <Table.Tr key={String(id)}>
              <Table.Td>{String(id)}</Table.Td>
              <Table.Td className="page-title">{name}</Table.Td>
              <Table.Td>{String(categoryId)}</Table.Td>
              <Table.Td>{words.statuses[status ?? 'available']}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
