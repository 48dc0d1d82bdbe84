import { randomUUID } from 'node:crypto';
import type { components } from '@pets/client';
import { petStatuses, type PetStatus } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import type { Command, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';
import { parseInt64 } from '../program/arguments.js';
import { pluralize } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import { addPageOptions, nextPage, queryOf, type PageOptions } from './list-pages.js';

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
