import { randomUUID } from 'node:crypto';
import { nextCursor, type components } from '@pets/client';
import { orderStatuses, petStatuses, type OrderStatus, type PetStatus } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import type { Command, Runner } from '../command.js';
import { report, type Outcome } from '../outcome/outcome.js';
import { parseCount, parseInt64 } from '../program/arguments.js';
import { pluralize, table } from '../terminal/format.js';

/** Numbers of 64 bits keep all digits, as in the client. */
type Pet = components['schemas']['Pet'];
type Order = components['schemas']['Order'];

const DEFAULT_PAGE_SIZE = 20;

interface PageOptions<Status> {
  readonly limit: number;
  readonly status?: Status;
  readonly cursor?: string;
}

/** `pets pets …` and `pets orders …` */
export function addStoreCommands(program: Program, runner: Runner): void {
  const pets = program.command('pets').description('manage animals');
  addPageOptions(pets.command('list').description('list animals'), petStatuses).action(
    (options: PageOptions<PetStatus>, command: Program) => runner(listPets)([options], command.optsWithGlobals()),
  );
  pets
    .command('add')
    .description('add an animal')
    .argument('<name>', 'name of the animal')
    .requiredOption('--category <id>', 'category ID', parseInt64)
    .addOption(new Option('--status <status>', 'status (default: available)').choices(petStatuses))
    .action((name: string, options: { category: bigint; status?: PetStatus }, command: Program) =>
      runner(addPet)([name, options], command.optsWithGlobals()),
    );
  const orders = program.command('orders').description('manage orders');
  addPageOptions(orders.command('list').description('list orders'), orderStatuses).action(
    (options: PageOptions<OrderStatus>, command: Program) => runner(listOrders)([options], command.optsWithGlobals()),
  );
  orders
    .command('add')
    .description('order an available animal')
    .argument('<pet-id>', 'animal ID', parseInt64)
    .option('--quantity <number>', 'number of animals', parseCount, 1)
    .action((petId: bigint, options: { quantity: number }, command: Program) =>
      runner(addOrder)([petId, options], command.optsWithGlobals()),
    );
}

function addPageOptions(list: Program, statuses: readonly string[]): Program {
  return list
    .option('--limit <number>', 'maximum number of results', parseCount, DEFAULT_PAGE_SIZE)
    .addOption(new Option('--status <status>', 'filter by status').choices(statuses))
    .option('--cursor <cursor>', 'cursor of the next page, from the previous output');
}

const listPets: Command<[options: PageOptions<PetStatus>]> = async ({ api }, options) => {
  const { data: pets = [], response } = await api.result<readonly Pet[]>(
    api.http.GET('/v1/pets', { params: { query: options } }),
  );
  const rows = pets.map(({ id, name, categoryId, status }) => [String(id), name, String(categoryId), status ?? '']);
  return report('done', 'listed', `${pluralize(pets.length, 'animal')}.`, {
    result: pets,
    next: nextPage('pets pets list', options, response),
    text: table(['ID', 'NAME', 'CATEGORY', 'STATUS'], rows),
  });
};

const addPet: Command<[name: string, options: { category: bigint; status?: PetStatus }]> = async (
  { api },
  name,
  { category: categoryId, status },
) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const body = { name, categoryId, ...(status !== undefined && { status }) };
  const pet: Pet = await api.data(api.http.POST('/v1/pets', { params, body }));
  return report('done', 'added', `Added ${pet.name} as animal ${pet.id}.`, { result: pet, text: String(pet.id) });
};

const listOrders: Command<[options: PageOptions<OrderStatus>]> = async ({ api }, options) => {
  const { data: orders = [], response } = await api.result<readonly Order[]>(
    api.http.GET('/v1/store/orders', { params: { query: options } }),
  );
  const rows = orders.map(({ id, petId, quantity, status, createdAt }) => [
    String(id),
    String(petId),
    String(quantity),
    status,
    createdAt,
  ]);
  return report('done', 'listed', `${pluralize(orders.length, 'order')}.`, {
    result: orders,
    next: nextPage('pets orders list', options, response),
    text: table(['ID', 'ANIMAL', 'QUANTITY', 'STATUS', 'CREATED'], rows),
  });
};

const addOrder: Command<[petId: bigint, options: { quantity: number }]> = async ({ api }, petId, { quantity }) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const order: Order = await api.data(api.http.POST('/v1/store/orders', { params, body: { petId, quantity } }));
  return report('done', 'added', `Placed order ${order.id} for animal ${order.petId}.`, {
    result: order,
    text: String(order.id),
  });
};

/** The command that shows the next page. */
function nextPage(command: string, { limit, status }: PageOptions<string>, response: Response): Outcome['next'] {
  const cursor = nextCursor(response);
  if (cursor === null) return [];
  const filter = status === undefined ? '' : ` --status ${status}`;
  return [{ command: `${command} --limit ${limit}${filter} --cursor ${cursor}`, when: 'for the next page' }];
}
