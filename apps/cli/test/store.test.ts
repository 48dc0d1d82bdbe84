import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(120_000);

let started: PetsStack | undefined;
let pets: Pets;

beforeAll(async () => {
  started = await openPetsStack();
  ({ pets } = started);
});
afterAll(() => started?.stop());

describe('pets and orders', () => {
  it('show IDs with every digit', async () => {
    const added = await pets.run(['pets', 'add', 'Rex', '--category', '9223372036854775807']);
    expect(added.code).toBe(0);
    expect((await pets.run(['pets', 'list'])).stdout).toMatch(/^\d+ +Rex +9223372036854775807 +available$/m);
    expect((await pets.run(['pets', 'list', '--json'])).stdout).toContain('"categoryId":9223372036854775807,');
    expect((await pets.run(['orders', 'add', added.stdout.trim()])).code).toBe(0);
    const list = ['orders', 'list', '--status', 'placed'];
    expect((await pets.run(list)).stdout).toMatch(/^\d+ +\d+ +1 +placed/m);
    expect((await pets.run([...list, '--names'])).stdout).toMatch(/^\d+ +\d+ +Rex +1 +placed/m);
  });

  it('are listed page by page with the suggested next command', async () => {
    for (const name of ['Tim', 'Tom']) await pets.run(['pets', 'add', name, '--category', '1']);
    const { outcome } = await pets.json(['pets', 'list', '--limit', '1']);
    const [next] = outcome.next;
    expect(next?.command).toMatch(/^pets pets list --limit 1 --cursor \S+$/);
    const rest = await pets.json((next?.command ?? '').split(' ').slice(1));
    const [first, second] = [outcome.result, rest.outcome.result] as { id: number }[][];
    expect([first?.length, second?.length]).toEqual([1, 1]);
    expect(second?.[0]?.id).toBeGreaterThan(first?.[0]?.id ?? 0);
  });

  it('are found by a part of the name, newest first, and the next command keeps both', async () => {
    for (const name of ["O'Neil 1", "o'neil 2"]) await pets.run(['pets', 'add', name, '--category', '1']);
    const { outcome } = await pets.json(['pets', 'list', '--limit', '1', '--contains', "'N", '--sort', '-createdAt']);
    expect(outcome.result).toMatchObject([{ name: "o'neil 2" }]);
    expect(outcome.next[0]?.command).toMatch(
      /^pets pets list --limit 1 --contains ''\\''N' --sort -createdAt --cursor \S+$/,
    );
  });
});

describe('an order', () => {
  /** @returns its id */
  async function place(): Promise<string> {
    const animal = await pets.run(['pets', 'add', 'Rex', '--category', '1']);
    return (await pets.run(['orders', 'add', animal.stdout.trim()])).stdout.trim();
  }

  it('is shown with the commands that end it', async () => {
    const id = await place();
    const { outcome } = await pets.json(['orders', 'show', id]);
    expect(outcome).toMatchObject({ status: 'done', reason: 'placed' });
    expect(outcome.next.map(({ command }) => command)).toEqual([
      `pets orders fulfill ${id}`,
      `pets orders cancel ${id}`,
    ]);
  });

  it.each([
    ['fulfill', 'fulfilled', 0, 'sold'],
    ['cancel', 'cancelled', 4, 'available'],
  ])('is waited for until somebody ends it: %s', async (command, status, exitCode, animalStatus) => {
    const id = await place();
    const [waited, ended] = await Promise.all([
      pets.json(['orders', 'wait', id, '--timeout', '60s']),
      pets.json(['orders', command, id]),
    ]);
    expect([waited.code, waited.outcome.reason]).toEqual([exitCode, status]);
    expect([ended.code, ended.outcome.reason]).toEqual([0, status]);
    expect((await pets.run(['pets', 'list', '--status', animalStatus])).stdout).toMatch(/^\d+ +Rex /m);
    expect(await pets.json(['orders', command === 'cancel' ? 'fulfill' : 'cancel', id])).toMatchObject({ code: 4 });
  });

  it('is not waited for longer than the timeout', async () => {
    const id = await place();
    expect(await pets.json(['orders', 'wait', id, '--timeout', '500ms'])).toMatchObject({
      code: 3,
      outcome: { reason: 'timeout', result: { status: 'placed' } },
    });
  });

  it('that does not exist is not waited for', async () => {
    expect(await pets.json(['orders', 'wait', '9223372036854775807'])).toMatchObject({
      code: 4,
      outcome: { reason: 'not_found' },
    });
  });
});
