import { orderStatuses, type OrderEnding, type OrderStatus } from '@pets/contracts';
import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { ActionButton, Confirmation } from '../components/form.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { OrderSelect, SearchField, StatusFilter, useSearch, type CreationOrder } from '../components/filters.js';
import { Dialog } from '../components/dialog.js';
import { Paged } from '../components/loaded.js';
import { EmptyState, StatusPill } from '../components/notice.js';
import { Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { PlaceOrder } from './place-order.js';
import { invalidateOrders, ordersQuery, toWireInteger, type Order } from './store.queries.js';

const text = strings.orders;
const tones = { placed: 'progress', fulfilled: 'good', cancelled: 'neutral' } as const satisfies Record<
  OrderStatus,
  string
>;

export default function OrdersPage() {
  const may = useMay();
  const [status, setStatus] = useState<OrderStatus | null>(null);
  const search = useSearch();
  const mayReadPets = may('listPets');
  const [order, setOrder] = useState<CreationOrder>('-createdAt');
  const [isPlacing, setPlacing] = useState(false);
  const [cancelling, setCancelling] = useState<Order | null>(null);
  const orders = useInfiniteQuery(ordersQuery({ status, search: search.term, order }, mayReadPets));
  const end = useOrderEnding(() => setCancelling(null));
  const place = may('createOrder', 'listPets') && <Button onClick={() => setPlacing(true)}>{text.add}</Button>;
  return (
    <Page title={text.title} actions={place} below={cancelling === null && <ActionError error={end.error} />}>
      <div className="toolbar">
        {mayReadPets && <SearchField label={text.search} search={search} maxLength={100} />}
        <StatusFilter
          label={strings.animals.status}
          statuses={orderStatuses}
          labels={text.statuses}
          value={status}
          onChange={setStatus}
        />
        <OrderSelect value={order} onChange={setOrder} />
      </div>
      <Paged query={orders}>
        {(list) =>
          list.length > 0 ? (
            <OrdersTable
              orders={list}
              isBusy={end.isPending}
              onFulfill={(ended) => end.mutate({ order: ended, ending: 'fulfilled' })}
              onCancel={setCancelling}
            />
          ) : status !== null || search.term !== '' ? (
            <EmptyState title={text.noneFound} text={text.noneFoundText} />
          ) : (
            <EmptyState title={text.empty} text={text.emptyText}>
              {place}
            </EmptyState>
          )
        }
      </Paged>
      <PlaceOrder opened={isPlacing} onClose={() => setPlacing(false)} />
      <Dialog
        opened={cancelling !== null}
        onClose={() => setCancelling(null)}
        title={text.cancelTitle(String(cancelling?.id ?? ''))}
      >
        {cancelling !== null && (
          <Confirmation
            text={text.cancelText}
            label={text.cancelOrder}
            action={end}
            isDestructive
            onConfirm={() => end.mutate({ order: cancelling, ending: 'cancelled' })}
            onCancel={() => setCancelling(null)}
          />
        )}
      </Dialog>
    </Page>
  );
}

function useOrderEnding(onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ order, ending }: { order: Order; ending: OrderEnding }) =>
      dataOf(
        api().PATCH('/v1/store/orders/{orderId}', {
          params: { path: { orderId: toWireInteger(order.id) } },
          body: { status: ending },
        }),
      ),
    onSuccess: async ({ id, status }) => {
      onDone();
      announce(text.ended(String(id), text.statuses[status]));
      await invalidateOrders(queryClient);
    },
  });
}

interface OrdersTableProps {
  readonly orders: readonly Order[];
  readonly isBusy: boolean;
  readonly onFulfill: (order: Order) => void;
  readonly onCancel: (order: Order) => void;
}

function OrdersTable({ orders, isBusy, onFulfill, onCancel }: OrdersTableProps) {
  const may = useMay();
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={orders}
        keyOf={({ id }) => String(id)}
        columns={[
          { header: text.order, kind: 'tight', cell: ({ id }) => String(id) },
          {
            header: text.animal,
            cell: ({ pet, petId }) => (
              // One element: on a phone, the parts of a cell are in a column each.
              <div>
                {pet?.name} <small className="value">{String(petId)}</small>
              </div>
            ),
          },
          { header: text.quantity, kind: 'tight', cell: ({ quantity }) => quantity },
          {
            header: strings.animals.status,
            cell: ({ status }) => <StatusPill tone={tones[status]}>{text.statuses[status]}</StatusPill>,
          },
          { header: strings.projects.created, kind: 'tight', cell: ({ createdAt }) => <Instant at={createdAt} /> },
          {
            header: text.actions,
            kind: 'tight',
            isShown: may('endOrder'),
            cell: (order) =>
              order.status === 'placed' && (
                <div className="row-actions">
                  <ActionButton size="xs" variant="default" isBusy={isBusy} onClick={() => onFulfill(order)}>
                    {text.fulfill}
                  </ActionButton>
                  <ActionButton size="xs" variant="default" isBusy={isBusy} onClick={() => onCancel(order)}>
                    {text.cancelOrder}
                  </ActionButton>
                </div>
              ),
          },
        ]}
      />
    </div>
  );
}
