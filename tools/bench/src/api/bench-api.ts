import { startStack, type Stack } from '@pets/lab';
import pg from 'pg';
import { cpuSeconds } from '../engine/processes.js';
import { settings } from '../settings.js';
import { median, type Figure } from '../figure.js';
import {
  CONNECTIONS,
  load,
  nestExpress,
  plainFastify,
  startContestant,
  type Contestant,
  type Request,
} from './contestants.js';

const PETS = 1_000_000;
const { BENCH_API_ROUNDS: ROUNDS } = settings;
/** Seconds. */
const WARM_UP = { seconds: 1 };
const NEW_PET = JSON.stringify({ name: 'Rex', categoryId: 7 });
const PAGE_AT_DEPTH = Math.floor(PETS / 2 / 100);

type Name = 'ours' | 'plain' | 'nest';
type Rates = Record<Name, number[]>;
/** Puts the same load on each contestant, in turns. */
type Race = (make: (url: string) => Request, what: string) => Promise<Rates>;

/** The store's two operations on a million animals, against what one would write by hand and what one would be given. */
export async function benchApi(): Promise<readonly Figure[]> {
  const stack = await startStack({
    stores: { queues: 'postgres' },
    onLine: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    await addPets(stack);
    const { url: databaseUrl } = stack.postgres;
    const contestants: Record<Name, Contestant> = {
      ours: await stack.startApi(),
      plain: await startContestant(plainFastify, { DATABASE_URL: databaseUrl }),
      nest: await startContestant(nestExpress, { DATABASE_URL: databaseUrl }),
    };
    try {
      return await measure(contestants, stack.apiKey, stack.postgres.pid);
    } finally {
      for (const contestant of Object.values(contestants)) await contestant.stop();
    }
  } finally {
    await stack.close();
  }
}

async function measure(
  contestants: Record<Name, Contestant>,
  key: string,
  postgresPid: number,
): Promise<readonly Figure[]> {
  const { ours } = contestants;
  const race: Race = (make, what) => runRace(contestants, postgresPid, make, what);
  const same = (query: string) => (url: string) => ({ urls: [`${url}/v1/pets${query}`] as const, key });
  const list20 = await race(same(''), 'list 20');
  const list100 = await race(same('?limit=100'), 'list 100');
  // Requests for one page at one moment share a statement of ours. Here each connection reads another page.
  const pages = await findPages(ours.url, key);
  const apart = await race(
    (url) => ({ urls: url === ours.url ? pages.byCursor : pages.byId(url), key }),
    'list 20 apart',
  );
  const depth = await raceDepth(ours.url, await walkToTheMiddle(ours.url, key), key);
  const create = await race((url) => ({ urls: [`${url}/v1/pets`], key, body: NEW_PET }), 'create');
  return [
    { name: 'list-20/plain-fastify', ratio: ratio(list20, 'plain'), bar: 1.2 },
    { name: 'list-100/plain-fastify', ratio: ratio(list100, 'plain'), bar: 1.5 },
    { name: 'list-20/nest-express-typeorm', ratio: ratio(list20, 'nest'), bar: 4 },
    { name: 'list-100/nest-express-typeorm', ratio: ratio(list100, 'nest'), bar: 4 },
    { name: 'list-20-apart/plain-fastify', ratio: ratio(apart, 'plain'), bar: 1.2 },
    { name: 'list-20-apart/nest-express-typeorm', ratio: ratio(apart, 'nest'), bar: 2 },
    { name: 'list-100-at-depth/first-page', ratio: median(depth.deep) / median(depth.first), bar: 0.9 },
    { name: 'create/plain-fastify', ratio: ratio(create, 'plain'), bar: 0.9 },
  ];
}

async function raceDepth(base: string, deepUrl: string, key: string) {
  const depth: { first: number[]; deep: number[] } = { first: [], deep: [] };
  for (let round = 0; round < ROUNDS; round++) {
    depth.first.push((await load({ urls: [`${base}/v1/pets?limit=100`], key })).perSecond);
    depth.deep.push((await load({ urls: [deepUrl], key })).perSecond);
  }
  return depth;
}

/** Finds as many pages of 20 as there are connections, in the words of each contestant. */
async function findPages(base: string, key: string) {
  const byCursor: [string, ...string[]] = [`${base}/v1/pets`];
  while (byCursor.length < CONNECTIONS) byCursor.push(await findNext(base, byCursor.at(-1) ?? base, key));
  const byId = (url: string): [string, ...string[]] => [
    `${url}/v1/pets`,
    ...byCursor.slice(1).map((_, page) => `${url}/v1/pets?after=${20 * (page + 1)}`),
  ];
  return { byCursor, byId };
}

/** Each in turn, several rounds, so that what else the machine does hits all of them. */
async function runRace(
  contestants: Record<Name, Contestant>,
  postgresPid: number,
  make: (url: string) => Request,
  what: string,
): Promise<Rates> {
  const rates: Rates = { ours: [], plain: [], nest: [] };
  const used: Record<Name, Used> = { ours: { ...unused }, plain: { ...unused }, nest: { ...unused } };
  const names = Object.keys(rates) as Name[];
  for (const name of names) await load(make(contestants[name].url), WARM_UP);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const { url, pid } = contestants[name];
      const before = { server: cpuSeconds(pid), postgres: cpuSeconds(postgresPid) };
      const { requests, perSecond } = await load(make(url));
      rates[name].push(perSecond);
      used[name].requests += requests;
      used[name].server += cpuSeconds(pid) - before.server;
      used[name].postgres += cpuSeconds(postgresPid) - before.postgres;
    }
  }
  const medians = names.map((name) => `${name} ${median(rates[name]).toFixed(0)}/s`);
  process.stdout.write(`${what}: ${medians.join(', ')}\n`);
  for (const name of names) {
    const { requests, server, postgres } = used[name];
    const aThousand = (seconds: number) => `${((seconds * 1_000) / requests).toFixed(4)} CPU s a thousand`;
    process.stdout.write(
      `${name}: ${what} ${aThousand(server)}\npostgres for ${name}: ${what} ${aThousand(postgres)}\n`,
    );
  }
  return rates;
}

/** CPU seconds of a server, and of PostgreSQL for it. */
interface Used {
  requests: number;
  server: number;
  postgres: number;
}

const unused: Used = { requests: 0, server: 0, postgres: 0 };

function ratio(rates: Rates, against: Name): number {
  return median(rates.ours) / median(rates[against]);
}

/** Follows `next` as a client would; also a check that half a million animals come out in order. */
async function walkToTheMiddle(base: string, key: string): Promise<string> {
  let url = `${base}/v1/pets?limit=100`;
  for (let page = 0; page < PAGE_AT_DEPTH; page++) url = await findNext(base, url, key);
  return url;
}

async function findNext(base: string, url: string, key: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  const next = /^<[^?>]+(\?[^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  if (next === undefined) throw new Error(`${url} has no next: ${response.status}`);
  return `${base}/v1/pets${next}`;
}

/** Gives the organization a million animals. */
async function addPets({ postgres, organizationId }: Stack): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(
    `insert into pets (organization_id, name, category_id, status)
     select $1, 'pet number ' || n, n % 1000, (array['available', 'pending', 'sold'])[1 + n % 3]
     from generate_series(1, ${PETS}) n`,
    [organizationId],
  );
  await client.query('vacuum analyze pets');
  await client.end();
}
