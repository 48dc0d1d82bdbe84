import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { animalsKey } from '../animals/animals.queries.js';
import { onTheWire, parseInteger, type ExactInteger } from '../api/exact-integer.js';
import { api, bodyOf } from '../api/api.js';
import { ActionForm } from '../parts/action-form.js';
import { announce } from '../parts/announcer.js';
import { Dialog } from '../parts/dialog.js';
import { strings } from '../strings.js';
import { ordersKey } from './orders.queries.js';

const words = strings.orders;

interface PlaceOrderProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function PlaceOrder({ opened, onClose }: PlaceOrderProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={words.add}>
      <PlaceOrderForm onClose={onClose} />
    </Dialog>
  );
}

function PlaceOrderForm({ onClose }: Pick<PlaceOrderProps, 'onClose'>) {
  const queryClient = useQueryClient();
  const [animal, setAnimal] = useState('');
  const [quantity, setQuantity] = useState('1');
  const [problem, setProblem] = useState<string | null>(null);
  const place = useMutation({
    mutationFn: (petId: ExactInteger) =>
      bodyOf(api().POST('/v1/store/orders', { body: { petId: onTheWire(petId), quantity: Number(quantity) } })),
    onSuccess: async ({ id }) => {
      announce(words.placed(String(id)));
      onClose();
      await Promise.all([ordersKey, animalsKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  const submit = () => {
    const petId = parseInteger(animal);
    setProblem(petId === null ? strings.animals.needsInteger : null);
    if (petId !== null) place.mutate(petId);
  };
  return (
    <ActionForm label={words.add} action={place} onSubmit={submit}>
      <TextInput
        label={words.animal}
        value={animal}
        onChange={(event) => setAnimal(event.currentTarget.value)}
        inputMode="numeric"
        error={problem}
        required
        data-autofocus
      />
      <TextInput
        label={words.quantity}
        type="number"
        min={1}
        max={100}
        value={quantity}
        onChange={(event) => setQuantity(event.currentTarget.value)}
        required
      />
    </ActionForm>
  );
}
