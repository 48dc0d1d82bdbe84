import { orderStatuses, type OrderEnding } from '@pets/contracts';
import { Button, Card, Group, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { animalsKey } from '../animals/animals.queries.js';
import { onTheWire } from '../api/exact-integer.js';
import { api, bodyOf } from '../api/api.js';
import { announce } from '../parts/announcer.js';
import { Failure } from '../parts/failure.js';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { Page } from '../parts/page.js';
import { Paged } from '../parts/paged.js';
import { strings } from '../strings.js';
import { ordersKey, ordersQuery, type Order } from './orders.queries.js';
import { PlaceOrder } from './place-order.js';

const words = strings.orders;

/** Orders of animals, and how they end. */
export default function OrdersPage() {
  const [chosen, setChosen] = useState('');
  const [isPlacing, setPlacing] = useState(false);
  const orders = useInfiniteQuery(ordersQuery(orderStatuses.find((each) => each === chosen) ?? null));
  return (
    <Page title={words.title} actions={<Button onClick={() => setPlacing(true)}>{words.add}</Button>}>
      <NativeSelect
        label={strings.animals.status}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={[
          { value: '', label: strings.animals.all },
          ...orderStatuses.map((each) => ({ value: each, label: words.statuses[each] })),
        ]}
        maw="14rem"
      />
      <Paged query={orders}>
        {(list) =>
          list.length === 0 ? (
            <Text>{words.empty}</Text>
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
  const end = useMutation({
    mutationFn: (ending: OrderEnding) =>
      bodyOf(
        api().PATCH('/v1/store/orders/{orderId}', {
          params: { path: { orderId: onTheWire(id) } },
          body: { status: ending },
        }),
      ),
    onSuccess: async () => {
      announce(words.ended(String(id)));
      await Promise.all([ordersKey, animalsKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  return (
    <Card component="li" withBorder>
      <FieldList
        fields={[
          [strings.animals.id, String(id)],
          [words.animal, String(petId)],
          [words.quantity, quantity],
          [strings.animals.status, words.statuses[status]],
          [strings.projects.created, <Instant at={createdAt} />],
        ]}
      />
      {status === 'placed' && (
        <Group mt="sm">
          <Button size="xs" variant="default" disabled={end.isPending} onClick={() => end.mutate('fulfilled')}>
            {words.fulfil}
          </Button>
          <Button size="xs" variant="default" disabled={end.isPending} onClick={() => end.mutate('cancelled')}>
            {words.cancelOrder}
          </Button>
        </Group>
      )}
      {end.error !== null && <Failure error={end.error} />}
    </Card>
  );
}
