import { randomUUID } from 'node:crypto';
import { pause } from '@pets/async';
import { nextCursor, type components } from '@pets/client';
import { orderStatuses, petStatuses, type OrderEnding, type OrderStatus, type PetStatus } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import { isTransient, type Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { report, type Outcome, type Report } from '../outcome/outcome.js';
import { parseCount, parseInt64, timeoutOption } from '../program/arguments.js';
import { pluralize, shellWord } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import type { Style } from '../terminal/terminal.js';

/** Numbers of 64 bits keep all digits, as in the client. */
type Pet = components['schemas']['Pet'];

/** `pets pets …` */
export function addAnimalCommands(program: Program, runner: Runner): void {
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
}

const listPets: Command<[options: PageOptions<PetStatus>]> = async ({ api, terminal }, options) => {
  const { data: pets = [], response } = await api.result<readonly Pet[]>(
    api.http.GET('/v1/pets', { params: { query: queryOf(options) } }),
  );
  const rows = pets.map(({ id, name, categoryId, status }) => [String(id), name, String(categoryId), status ?? '']);
  return report('done', 'listed', `${pluralize(pets.length, 'animal')}.`, {
    result: pets,
    next: nextPage('pets pets list', options, response),
    text: table(['ID', 'NAME', 'CATEGORY', 'STATUS'], rows, terminal.width),
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

/** Numbers of 64 bits keep all digits, as in the client. */
type Order = components['schemas']['Order'];

type OrderListOptions = PageOptions<OrderStatus> & { readonly names?: boolean };
type WaitOptions = { readonly timeout: number };

const PATH = '/v1/store/orders/{orderId}';

/** No event tells the end of an order, so `wait` reads it at intervals that grow. */
const FIRST_INTERVAL_MS = 500;
const MAX_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;

/** `pets orders …` */
export function addOrderCommands(program: Program, runner: Runner): void {
  const orders = program.command('orders').description('manage orders');
  addPageOptions(orders.command('list').description('list orders'), orderStatuses)
    .option('--names', 'show the names of the animals; the key needs pets:read')
    .action((options: OrderListOptions, command: Program) => runner(listOrders)([options], command.optsWithGlobals()));
  orders
    .command('add')
    .description('order an available animal')
    .argument('<pet-id>', 'animal ID', parseInt64)
    .option('--quantity <number>', 'number of animals', parseCount, 1)
    .action((petId: bigint, options: { quantity: number }, command: Program) =>
      runner(addOrder)([petId, options], command.optsWithGlobals()),
    );
  orders
    .command('show')
    .description('show an order')
    .argument('<id>', 'order ID', parseInt64)
    .action((id: bigint, _options: object, command: Program) => runner(showOrder)([id], command.optsWithGlobals()));
  orders
    .command('fulfill')
    .description('end an order as fulfilled: the animal is sold')
    .argument('<id>', 'order ID', parseInt64)
    .action((id: bigint, _options: object, command: Program) =>
      runner(endOrder)([id, 'fulfilled'], command.optsWithGlobals()),
    );
  orders
    .command('cancel')
    .description('cancel an order: the animal is available again')
    .argument('<id>', 'order ID', parseInt64)
    .action((id: bigint, _options: object, command: Program) =>
      runner(endOrder)([id, 'cancelled'], command.optsWithGlobals()),
    );
  orders
    .command('wait')
    .description('wait until an order is fulfilled or cancelled')
    .argument('<id>', 'order ID', parseInt64)
    .addOption(timeoutOption('maximum time to wait, for example 90s, 10m or 1h', '10m'))
    .action((id: bigint, options: WaitOptions, command: Program) =>
      runner(waitForOrder)([id, options], command.optsWithGlobals()),
    );
}

const listOrders: Command<[options: OrderListOptions]> = async ({ api, terminal }, { names, ...options }) => {
  const query = { ...queryOf(options), ...(names === true && { expand: 'pet' as const }) };
  const { data: orders = [], response } = await api.result<readonly Order[]>(
    api.http.GET('/v1/store/orders', { params: { query } }),
  );
  return report('done', 'listed', `${pluralize(orders.length, 'order')}.`, {
    result: orders,
    next: nextPage(`pets orders list${names === true ? ' --names' : ''}`, options, response),
    text: presentOrders(orders, terminal),
  });
};

const addOrder: Command<[petId: bigint, options: { quantity: number }]> = async ({ api }, petId, { quantity }) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const order: Order = await api.data(api.http.POST('/v1/store/orders', { params, body: { petId, quantity } }));
  return report('done', 'added', `Placed order ${order.id} for animal ${order.petId}.`, {
    result: order,
    next: nextCommands(order),
    text: String(order.id),
  });
};

const showOrder: Command<[id: bigint]> = async ({ api, terminal }, id) => {
  const order = await readOrder(api, id);
  return report('done', order.status, `Order ${id} is ${order.status}.`, {
    result: order,
    next: nextCommands(order),
    text: presentOrders([order], terminal),
  });
};

const endOrder: Command<[id: bigint, status: OrderEnding]> = async ({ api }, id, status) => {
  const params = { path: { orderId: id } };
  const order: Order = await api.data(api.http.PATCH(PATH, { params, body: { status } }));
  const animal = status === 'fulfilled' ? 'is sold' : 'is available again';
  return report('done', status, `Order ${id} is ${status}: animal ${order.petId} ${animal}.`, { result: order });
};

/** A cancelled order will never be fulfilled. */
const waitForOrder: Command<[id: bigint, options: WaitOptions]> = async ({ api, terminal }, id, { timeout }) => {
  const endsAt = performance.now() + timeout;
  let order: Order | null = null;
  for (let intervalMs = FIRST_INTERVAL_MS; ; intervalMs = Math.min(intervalMs * INTERVAL_GROWTH, MAX_INTERVAL_MS)) {
    try {
      const before = order?.status;
      order = await readOrder(api, id);
      if (order.status !== before) terminal.progress(order.status);
      if (order.status !== 'placed') return reportEnded(order);
    } catch (error) {
      if (!isTransient(error)) throw error;
      terminal.progress(error.message);
    }
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) break;
    await pause(Math.min(intervalMs, leftMs));
  }
  return report('not_yet', 'timeout', `Order ${id} has not ended; timed out waiting.`, {
    result: order,
    next: [{ command: `pets orders wait ${id}`, when: 'to continue waiting' }],
  });
};

function readOrder(api: Api, id: bigint): Promise<Order> {
  return api.data(api.http.GET(PATH, { params: { path: { orderId: id } } }));
}

function reportEnded(order: Order): Report {
  const status = order.status === 'fulfilled' ? 'done' : 'refused';
  return report(status, order.status, `Order ${order.id} is ${order.status}.`, { result: order });
}

function presentOrders(orders: readonly Order[], { time, width }: Style): string {
  const hasNames = orders.some(({ pet }) => pet !== undefined);
  const rows = orders.map(({ id, petId, pet, quantity, status, createdAt }) => [
    String(id),
    String(petId),
    ...(hasNames ? [pet?.name ?? ''] : []),
    String(quantity),
    status,
    time(createdAt),
  ]);
  return table(['ID', 'ANIMAL', ...(hasNames ? ['NAME'] : []), 'QUANTITY', 'STATUS', 'CREATED'], rows, width);
}

function nextCommands({ id, status }: Order): Report['next'] {
  if (status !== 'placed') return [];
  return [
    { command: `pets orders fulfill ${id}`, when: 'when the animal is handed over' },
    { command: `pets orders cancel ${id}`, when: 'to make it available again' },
  ];
}

const DEFAULT_PAGE_SIZE = 20;
const sortOrders = ['createdAt', '-createdAt'] as const;

/** The options of a list that is shown page by page. */
interface PageOptions<Status> {
  readonly limit: number;
  readonly status?: Status;
  /** Part of the animal's name. */
  readonly contains?: string;
  readonly sort?: (typeof sortOrders)[number];
  readonly cursor?: string;
}

function addPageOptions(list: Program, statuses: readonly string[]): Program {
  return list
    .option('--limit <number>', 'maximum number of results', parseCount, DEFAULT_PAGE_SIZE)
    .addOption(new Option('--status <status>', 'filter by status').choices(statuses))
    .option('--contains <text>', 'only where the name of the animal contains this text')
    .addOption(new Option('--sort <order>', 'order; with a minus sign descending').choices(sortOrders))
    .option('--cursor <cursor>', 'cursor of the next page, from the previous output');
}

/** Query parameters as the API names them. */
function queryOf<Status>({ contains, ...query }: PageOptions<Status>) {
  return { ...query, ...(contains !== undefined && { q: contains }) };
}

/** The command that shows the next page. */
function nextPage(command: string, options: PageOptions<string>, response: Response): Outcome['next'] {
  const cursor = nextCursor(response);
  if (cursor === null) return [];
  const { limit, status, contains, sort } = options;
  const words = [
    `--limit ${limit}`,
    ...(status === undefined ? [] : [`--status ${status}`]),
    ...(contains === undefined ? [] : [`--contains ${shellWord(contains)}`]),
    ...(sort === undefined ? [] : [`--sort ${sort}`]),
    `--cursor ${cursor}`,
  ];
  return [{ command: `${command} ${words.join(' ')}`, when: 'for the next page' }];
}
