import { Option, type Command as Program } from 'commander';
import { orderStatuses, petStatuses, type OrderStatus, type PetStatus } from '@pets/contracts';
import { addOrder, addPet, listOrders, listPets } from '../store/store-commands.js';
import { readCount, readInt64 } from './arguments.js';
import type { Runner } from './runner.js';

const PAGE_SIZE = 20;

interface PageOptions<Status> {
  limit: number;
  status?: Status;
  cursor?: string;
}

/** `pets pets …` and `pets orders …` */
export function addStoreCommands(program: Program, runner: Runner): void {
  const pets = program.command('pets').description('manage animals');
  addPage(pets.command('list').description('list animals'), petStatuses).action(
    (own: PageOptions<PetStatus>, at: Program) => runner(listPets)([own], at.optsWithGlobals()),
  );
  pets
    .command('add')
    .description('add an animal')
    .argument('<name>', 'name of the animal')
    .requiredOption('--category <id>', 'category ID', readInt64)
    .addOption(new Option('--status <status>', 'status (default: available)').choices(petStatuses))
    .action((name: string, own: { category: bigint; status?: PetStatus }, at: Program) =>
      runner(addPet)([name, own], at.optsWithGlobals()),
    );
  const orders = program.command('orders').description('manage orders');
  addPage(orders.command('list').description('list orders'), orderStatuses).action(
    (own: PageOptions<OrderStatus>, at: Program) => runner(listOrders)([own], at.optsWithGlobals()),
  );
  orders
    .command('add')
    .description('order an available animal')
    .argument('<pet-id>', 'animal ID', readInt64)
    .option('--quantity <number>', 'number of animals', readCount, 1)
    .action((petId: bigint, own: { quantity: number }, at: Program) =>
      runner(addOrder)([petId, own], at.optsWithGlobals()),
    );
}

function addPage(list: Program, statuses: readonly string[]): Program {
  return list
    .option('--limit <number>', 'maximum number of results', readCount, PAGE_SIZE)
    .addOption(new Option('--status <status>', 'filter by status').choices(statuses))
    .option('--cursor <cursor>', 'cursor of the next page, from the previous output');
}
