import { Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionForm } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { TextLink } from '../components/page.js';
import { strings } from '../strings.js';
import { AnimalPicker } from './animal-picker.js';
import { availableAnimalsQuery, invalidateOrders, toWireInteger, type Animal } from './store.queries.js';

const text = strings.orders;

interface PlaceOrderProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function PlaceOrder({ opened, onClose }: PlaceOrderProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={text.add}>
      <PlaceOrderContent onClose={onClose} />
    </Dialog>
  );
}

function PlaceOrderContent({ onClose }: Pick<PlaceOrderProps, 'onClose'>) {
  const animals = useQuery(availableAnimalsQuery);
  return (
    <Loaded query={animals}>
      {(list) =>
        list.length === 0 ? (
          <>
            <Text mb="sm">{text.noneAvailable}</Text>
            <TextLink to="/animals">{text.toAnimals}</TextLink>
          </>
        ) : (
          <PlaceOrderForm animals={list} onClose={onClose} />
        )
      }
    </Loaded>
  );
}

interface PlaceOrderFormProps {
  readonly animals: readonly Animal[];
  readonly onClose: () => void;
}

function PlaceOrderForm({ animals, onClose }: PlaceOrderFormProps) {
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<Animal | null>(null);
  const [quantity, setQuantity] = useState('1');
  const [isMissing, setMissing] = useState(false);
  const place = useMutation({
    mutationFn: ({ id }: Animal) =>
      dataOf(api().POST('/v1/store/orders', { body: { petId: toWireInteger(id), quantity: Number(quantity) } })),
    onSuccess: async ({ id }) => {
      announce(text.placed(String(id)));
      onClose();
      await invalidateOrders(queryClient);
    },
  });
  const submit = () => {
    setMissing(chosen === null);
    if (chosen !== null) place.mutate(chosen);
  };
  const { texts, isAtField } = fieldErrorsOf(place.error, ['petId', 'quantity']);
  return (
    <ActionForm label={text.add} action={place} onSubmit={submit} isErrorAtField={isAtField}>
      <AnimalPicker
        animals={animals}
        chosen={chosen}
        onChoose={setChosen}
        error={isMissing ? text.needsAnimal : texts.petId}
      />
      <TextInput
        label={text.quantity}
        value={quantity}
        onChange={(event) => setQuantity(event.currentTarget.value)}
        inputMode="numeric"
        error={texts.quantity}
        required
      />
    </ActionForm>
  );
}
