import { randomUUID } from 'node:crypto';
import type { components } from '@pets/client';
import type { OrderStatus, PetStatus } from '@pets/contracts';
import type { Command } from '../command.js';
import { report } from '../outcome/outcome.js';
import { counted } from '../terminal/counted.js';
import { table } from '../terminal/table.js';
import { nextPage } from './next-page.js';

/** Their numbers keep all digits, as the client has them. */
type Pet = components['schemas']['Pet'];
type Order = components['schemas']['Order'];

interface PageOptions<Status> {
  readonly limit: number;
  readonly status?: Status;
  readonly cursor?: string;
}

/** `pets pets list`. */
export const listPets: Command<[options: PageOptions<PetStatus>]> = async ({ api }, { limit, status, cursor }) => {
  const query = { limit, ...(status !== undefined && { status }), ...(cursor !== undefined && { cursor }) };
  const { data: pets = [], response } = await api.answer<readonly Pet[]>(
    api.http.GET('/v1/pets', { params: { query } }),
  );
  const rows = pets.map(({ id, name, categoryId, status: is }) => [String(id), name, String(categoryId), is ?? '']);
  const next = nextPage(
    `pets pets list --limit ${limit}${status === undefined ? '' : ` --status ${status}`}`,
    response,
  );
  const text = table(['ID', 'NAME', 'CATEGORY', 'STATUS'], rows);
  return report('done', 'listed', `${counted(pets.length, 'animal')}.`, { result: pets, next, text });
};

/** `pets pets add`. */
export const addPet: Command<[name: string, options: { category: bigint; status?: PetStatus }]> = async (
  { api },
  name,
  { category: categoryId, status },
) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const body = { name, categoryId, ...(status !== undefined && { status }) };
  const pet: Pet = await api.ask(api.http.POST('/v1/pets', { params, body }));
  return report('done', 'added', `Added ${pet.name} as animal ${pet.id}.`, { result: pet, text: String(pet.id) });
};

/** `pets orders list`. */
export const listOrders: Command<[options: PageOptions<OrderStatus>]> = async ({ api }, { limit, status, cursor }) => {
  const query = { limit, ...(status !== undefined && { status }), ...(cursor !== undefined && { cursor }) };
  const { data: orders = [], response } = await api.answer<readonly Order[]>(
    api.http.GET('/v1/store/orders', { params: { query } }),
  );
  const rows = orders.map(({ id, petId, quantity, status: is, createdAt }) => [
    String(id),
    String(petId),
    String(quantity),
    is,
    createdAt,
  ]);
  const next = nextPage(
    `pets orders list --limit ${limit}${status === undefined ? '' : ` --status ${status}`}`,
    response,
  );
  const text = table(['ID', 'ANIMAL', 'QUANTITY', 'STATUS', 'CREATED'], rows);
  return report('done', 'listed', `${counted(orders.length, 'order')}.`, { result: orders, next, text });
};

/** `pets orders add`. */
export const addOrder: Command<[petId: bigint, options: { quantity: number }]> = async (
  { api },
  petId,
  { quantity },
) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const order: Order = await api.ask(api.http.POST('/v1/store/orders', { params, body: { petId, quantity } }));
  return report('done', 'added', `Placed order ${order.id} for animal ${order.petId}.`, {
    result: order,
    text: String(order.id),
  });
};
