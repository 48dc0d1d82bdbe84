import { orderStatuses, type OrderEnding, type OrderStatus } from '@pets/contracts';
import { Button, Card, Group, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { parseInteger, toWireInteger, type ExactInteger } from '../api/exact-integer.js';
import { announce } from '../components/announcer.js';
import { ErrorAlert } from '../components/error.js';
import { ActionForm, Dialog, StatusFilter } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { FieldList, Page } from '../components/page.js';
import { Instant } from '../components/time.js';
import { strings } from '../strings.js';
import { invalidateOrders, ordersQuery, type Order } from './store.queries.js';

const text = strings.orders;

export default function OrdersPage() {
  const [status, setStatus] = useState<OrderStatus | null>(null);
  const [isPlacing, setPlacing] = useState(false);
  const orders = useInfiniteQuery(ordersQuery(status));
  return (
    <Page title={text.title} actions={<Button onClick={() => setPlacing(true)}>{text.add}</Button>}>
      <StatusFilter
        label={strings.animals.status}
        statuses={orderStatuses}
        labels={text.statuses}
        value={status}
        onChange={setStatus}
      />
      <Paged query={orders}>
        {(list) =>
          list.length === 0 ? (
            <Text>{text.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((order) => (
                <OrderCard key={String(order.id)} order={order} />
              ))}
            </ul>
          )
        }
      </Paged>
      <PlaceOrder opened={isPlacing} onClose={() => setPlacing(false)} />
    </Page>
  );
}

function OrderCard({ order: { id, petId, quantity, status, createdAt } }: { readonly order: Order }) {
  const queryClient = useQueryClient();
  const close = useMutation({
    mutationFn: (ending: OrderEnding) =>
      dataOf(
        api().PATCH('/v1/store/orders/{orderId}', {
          params: { path: { orderId: toWireInteger(id) } },
          body: { status: ending },
        }),
      ),
    onSuccess: async () => {
      announce(text.ended(String(id)));
      await invalidateOrders(queryClient);
    },
  });
  return (
    <Card component="li" withBorder>
      <FieldList
        fields={[
          [strings.animals.id, String(id)],
          [text.animal, String(petId)],
          [text.quantity, quantity],
          [strings.animals.status, text.statuses[status]],
          [strings.projects.created, <Instant at={createdAt} />],
        ]}
      />
      {status === 'placed' && (
        <Group mt="sm">
          <Button size="xs" variant="default" disabled={close.isPending} onClick={() => close.mutate('fulfilled')}>
            {text.fulfil}
          </Button>
          <Button size="xs" variant="default" disabled={close.isPending} onClick={() => close.mutate('cancelled')}>
            {text.cancelOrder}
          </Button>
        </Group>
      )}
      {close.error !== null && <ErrorAlert error={close.error} />}
    </Card>
  );
}

interface PlaceOrderProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function PlaceOrder({ opened, onClose }: PlaceOrderProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={text.add}>
      <PlaceOrderForm onClose={onClose} />
    </Dialog>
  );
}

function PlaceOrderForm({ onClose }: Pick<PlaceOrderProps, 'onClose'>) {
  const queryClient = useQueryClient();
  const [animal, setAnimal] = useState('');
  const [quantity, setQuantity] = useState('1');
  const [validationError, setValidationError] = useState<string | null>(null);
  const place = useMutation({
    mutationFn: (petId: ExactInteger) =>
      dataOf(api().POST('/v1/store/orders', { body: { petId: toWireInteger(petId), quantity: Number(quantity) } })),
    onSuccess: async ({ id }) => {
      announce(text.placed(String(id)));
      onClose();
      await invalidateOrders(queryClient);
    },
  });
  const submit = () => {
    const petId = parseInteger(animal);
    setValidationError(petId === null ? strings.animals.needsInteger : null);
    if (petId !== null) place.mutate(petId);
  };
  return (
    <ActionForm label={text.add} action={place} onSubmit={submit}>
      <TextInput
        label={text.animal}
        value={animal}
        onChange={(event) => setAnimal(event.currentTarget.value)}
        inputMode="numeric"
        error={validationError}
        required
        data-autofocus
      />
      <TextInput
        label={text.quantity}
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
