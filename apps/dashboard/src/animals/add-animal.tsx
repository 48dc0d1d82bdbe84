import { petStatuses, type PetStatus } from '@pets/contracts';
import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../api/api.js';
import { onTheWire, parseInteger, type ExactInteger } from '../api/exact-integer.js';
import { ActionForm } from '../parts/action-form.js';
import { announce } from '../parts/announcer.js';
import { Dialog } from '../parts/dialog.js';
import { strings } from '../strings.js';
import { animalsKey } from './animals.queries.js';

const words = strings.animals;

interface AddAnimalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function AddAnimal({ opened, onClose }: AddAnimalProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={words.add}>
      <AddAnimalForm onClose={onClose} />
    </Dialog>
  );
}

function AddAnimalForm({ onClose }: Pick<AddAnimalProps, 'onClose'>) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [category, setCategory] = useState('');
  const [status, setStatus] = useState<PetStatus>('available');
  const [problem, setProblem] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: (categoryId: ExactInteger) =>
      bodyOf(api().POST('/v1/pets', { body: { name, categoryId: onTheWire(categoryId), status } })),
    onSuccess: async () => {
      announce(words.added(name));
      onClose();
      await queryClient.invalidateQueries({ queryKey: animalsKey });
    },
  });
  const submit = () => {
    const categoryId = parseInteger(category);
    setProblem(categoryId === null ? words.needsInteger : null);
    if (categoryId !== null) add.mutate(categoryId);
  };
  return (
    <ActionForm label={words.add} action={add} onSubmit={submit}>
      <TextInput
        label={words.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label={words.category}
        value={category}
        onChange={(event) => setCategory(event.currentTarget.value)}
        inputMode="numeric"
        error={problem}
        required
      />
      <NativeSelect
        label={words.status}
        value={status}
        onChange={({ currentTarget: { value } }) => setStatus(petStatuses.find((each) => each === value) ?? status)}
        data={petStatuses.map((each) => ({ value: each, label: words.statuses[each] }))}
      />
    </ActionForm>
  );
}
