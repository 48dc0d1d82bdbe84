import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, type Stack } from '@pets/lab';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { TcpProxy } from '@pets/testing/processes';
import type { Random } from '../round.js';

/** Breaks something at a moment that the seed chooses, and resolves when nothing is broken any more. */
export interface Fault {
  readonly name: string;
  /** Tried a fifth as often as the others. */
  readonly isLong?: true;
  /** Whether a request that is answered later than after two seconds is a fault of ours. */
  readonly isAnsweredInTime?: true;
  /**
   * @returns when the recovery begins: at the kill of a process of ours, which restarts unaided, and at the repair of a store
   * or a connection, which the fault makes
   */
  run(stack: Stack, random: Random): Promise<number>;
}

/** A worker's locks last 30 s; one that is stopped for longer has lost them when it goes on. */
const BEYOND_LOCK_MS = 35_000;
const SILENCE_MS = 15_000;
/** The domains of a round come due within this. */
const BUSY_MS = 3_000;
/** Domains of another organization. */
const FLOOD = 20_000;
const SEEDED_AT_ONCE = 2_000;

const someTime = (random: Random) => sleep(random.between(0, BUSY_MS));

export const faults: readonly Fault[] = [
  {
    name: 'kill-api',
    run: async ({ api }, random) => {
      await someTime(random);
      await api.kill();
      const since = Date.now();
      await api.untilReady();
      return since;
    },
  },
  {
    name: 'kill-worker',
    run: async ({ worker }, random) => {
      await someTime(random);
      await worker.kill();
      const since = Date.now();
      await worker.untilReady();
      return since;
    },
  },
  {
    name: 'stop-worker-beyond-its-locks',
    isLong: true,
    run: async ({ worker }, random) => {
      await someTime(random);
      worker.signal('SIGSTOP');
      await sleep(BEYOND_LOCK_MS);
      worker.signal('SIGCONT');
      return Date.now();
    },
  },
  {
    name: 'flush-redis',
    isAnsweredInTime: true,
    run: async ({ redis: { port } }, random) => {
      await someTime(random);
      const redis = new Redis(port, '127.0.0.1');
      await redis.flushall();
      redis.disconnect();
      return Date.now();
    },
  },
  {
    name: 'restart-redis',
    isAnsweredInTime: true,
    run: async ({ redis }, random) => {
      await someTime(random);
      await redis.restart();
      return Date.now();
    },
  },
  {
    name: 'restart-postgres',
    isAnsweredInTime: true,
    run: async ({ postgres }, random) => {
      await someTime(random);
      await postgres.restart();
      return Date.now();
    },
  },
  {
    name: 'silent-redis',
    isLong: true,
    isAnsweredInTime: true,
    run: (stack, random) => silence(stack.wires.redis, random),
  },
  {
    name: 'silent-postgres',
    isLong: true,
    isAnsweredInTime: true,
    run: (stack, random) => silence(stack.wires.postgres, random),
  },
  { name: 'open-snapshot', run: holdSnapshot },
  { name: 'hanging-ca', isLong: true, isAnsweredInTime: true, run: ({ caPort }, random) => hangCa(caPort, random) },
  { name: 'flood', isLong: true, isAnsweredInTime: true, run: flood },
  { name: 'repeated-events', run: ({ redis }, random) => repeatEvents(redis.port, random) },
];

async function silence(wires: readonly TcpProxy[], random: Random): Promise<number> {
  await someTime(random);
  for (const wire of wires) wire.silence();
  await sleep(SILENCE_MS);
  for (const wire of wires) wire.heal();
  return Date.now();
}

/** Reads in a transaction that stays open, as `pg_dump` does: nothing that is updated meanwhile can be removed. */
async function holdSnapshot(stack: Stack, random: Random): Promise<number> {
  const client = await stack.postgres.connect();
  try {
    await client.query('begin isolation level repeatable read');
    await client.query('select count(*) from domain_work');
    await someTime(random);
    await sleep(SILENCE_MS);
    return Date.now();
  } finally {
    await client.end();
  }
}

/** A CA that accepts connections and says nothing. DNS checks have nothing to do with it. */
async function hangCa(port: number, random: Random): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  await someTime(random);
  await sleep(SILENCE_MS);
  server.close();
  for (const socket of sockets) socket.destroy();
  return Date.now();
}

/** Another organization's domains come due, more than the engine checks within the limit of the round. */
async function flood(stack: Stack, random: Random): Promise<number> {
  await someTime(random);
  const client = await stack.postgres.connect();
  try {
    const organization = `insert into organizations (name, plan) values ('Flood', 'enterprise') returning id`;
    const { rows } = await client.query<{ id: string }>(organization);
    const id = random.between(0, Number.MAX_SAFE_INTEGER);
    for (let first = 0; first < FLOOD; first += SEEDED_AT_ONCE) {
      const named = Array.from({ length: SEEDED_AT_ONCE }, (_, index) => {
        const own = `${id}x${first + index}`;
        return { name: `match-${own}.flood.example.com`, token: `t${own}` };
      });
      await seedDomains(client, rows[0]?.id ?? '', named, new Date());
    }
    return Date.now();
  } finally {
    await client.end();
  }
}

/** Holds events back, lets them go, and adds each of them again twice: in another order, and some of them much later. */
async function repeatEvents(redisPort: number, random: Random): Promise<number> {
  const queue = openQueue('domain-events', redisPort);
  try {
    await queue.pause();
    await sleep(BUSY_MS);
    const held = await queue.getJobs(['wait']);
    await queue.resume();
    const opts = { removeOnComplete: true, removeOnFail: true };
    for (const { name, data } of random.shuffle([...held, ...held])) {
      await queue.add(name, data, { ...opts, delay: random.pick([0, 0, 500, 3_000, 8_000]) });
    }
    return Date.now();
  } finally {
    await queue.resume();
    await queue.close();
  }
}

function openQueue(name: string, port: number): Queue {
  const queue = new Queue(name, { connection: { host: '127.0.0.1', port } });
  return queue.on('error', () => undefined); // the next command fails
}
