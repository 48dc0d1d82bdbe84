import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosOptions, Round } from '../round.js';
import { ATTACKED, OTHER, startEdgeProcess, type EdgeProcess, type EdgeSample } from './edge-process.js';
import { openHttp1, openHttp2, type SlowClient, type Target } from './slow-client.js';

/** One way of being slow, on so many connections. */
interface Attack {
  readonly connections: number;
  /** From as many addresses; all from one without it. */
  readonly addresses?: number;
  /** Connections are given up and opened again. */
  readonly reconnectMs?: number;
  /** Connects to the port without TLS. */
  readonly isPlain?: boolean;
  readonly open: (target: Target, index: number) => Promise<SlowClient>;
}

const STREAMS = 100;
const HANDSHAKES_AT_A_TIME = 16;
const COME_BACK_MS = 1_000;
const PING_MS = 9_000;
const MUCH = 0x7f_ff_00_00;

const largeFiles = Array.from({ length: STREAMS }, (_, index) => `/large-${index}.bin`);
const ofOne = (path: string) => Array.from({ length: STREAMS }, () => path);
const noWindow = { streamWindow: 0, pingMs: PING_MS };

/** `HTTP/2` is in the name of none: only what differs is. */
const attacks = {
  'no-window': {
    connections: 10,
    open: (target) => openHttp2(target, { ...noWindow, paths: largeFiles }),
  },
  'no-window-many': {
    connections: 45,
    open: (target) => openHttp2(target, { ...noWindow, paths: largeFiles }),
  },
  'no-window-asks-again': {
    connections: 45,
    open: (target) => openHttp2(target, { ...noWindow, paths: largeFiles, persists: true }),
  },
  'no-window-reconnects': {
    connections: 45,
    reconnectMs: 4_000,
    open: (target) => openHttp2(target, { ...noWindow, paths: largeFiles }),
  },
  'no-window-from-everywhere': {
    connections: 400,
    addresses: 100,
    open: (target) => openHttp2(target, { ...noWindow, paths: largeFiles }),
  },
  'one-byte-of-window': {
    connections: 45,
    open: (target) => openHttp2(target, { ...noWindow, paths: largeFiles, drip: { everyMs: PING_MS, bytes: 1 } }),
  },
  'no-window-of-the-connection': {
    connections: 45,
    open: (target) => openHttp2(target, { paths: largeFiles, streamWindow: MUCH, pingMs: PING_MS }),
  },
  'no-window-small-replies': {
    connections: 45,
    open: (target) => openHttp2(target, { ...noWindow, paths: ofOne('/small.bin') }),
  },
  'no-window-cached-replies': {
    connections: 45,
    open: (target) => openHttp2(target, { ...noWindow, paths: ofOne('/medium.bin') }),
  },
  'no-window-compressed-replies': {
    connections: 45,
    open: (target) => openHttp2(target, { ...noWindow, paths: ofOne('/large.js'), encodings: 'gzip' }),
  },
  'reads-nothing': {
    connections: 100,
    open: (target) =>
      openHttp2(target, { paths: largeFiles, streamWindow: MUCH, connectionWindow: MUCH, isDeaf: true, pingMs: 1_000 }),
  },
  'resets-and-opens-again': {
    connections: 45,
    open: (target) => openHttp2(target, { ...noWindow, paths: largeFiles, reopenMs: 9_000 }),
  },
  'asks-for-nothing-from-everywhere': {
    connections: 4_000,
    addresses: 100,
    open: (target) => openHttp2(target, { ...noWindow, paths: [] }),
  },
  'http1-reads-nothing': {
    connections: 240,
    open: (target) => openHttp1(target, { path: '/huge.bin' }),
  },
  'http1-reads-nothing-from-everywhere': {
    connections: 1_000,
    addresses: 20,
    open: (target) => openHttp1(target, { path: '/huge.bin' }),
  },
  'http1-drip': {
    connections: 240,
    open: (target) => openHttp1(target, { path: '/huge.bin', drip: { everyMs: 1_000, bytes: 100 } }),
  },
  'http1-pipelined': {
    connections: 100,
    open: (target) => openHttp1(target, { path: '/medium.bin', pipelined: 1_000 }),
  },
  'http1-plain-pipelined': {
    connections: 100,
    isPlain: true,
    open: (target) => openHttp1(target, { path: '/', pipelined: 1_000, isPlain: true }),
  },
  'http1-compressed': {
    connections: 240,
    open: (target) => openHttp1(target, { path: '/large.js', encodings: 'gzip' }),
  },
  'http1-compressed-reconnects': {
    connections: 200,
    reconnectMs: 4_000,
    open: (target) => openHttp1(target, { path: '/large.js', encodings: 'gzip' }),
  },
} as const satisfies Record<string, Attack>;

interface RunningAttack {
  describe(): { readonly open: number; readonly ended: number };
  stop(): void;
}

/** Begins an attack, which goes on until it is stopped. */
function begin(attack: Attack, ports: { readonly httpPort: number; readonly httpsPort: number }): RunningAttack {
  const clients = new Map<number, SlowClient>();
  const state = { isOver: false, ended: 0 };
  const open = async (index: number) => {
    const localAddress = `127.0.${index % (attack.addresses ?? 1)}.2`;
    const port = attack.isPlain === true ? ports.httpPort : ports.httpsPort;
    const client = await attack.open({ port, host: ATTACKED, localAddress }, index).catch(() => undefined);
    if (client === undefined) return;
    if (state.isOver) return client.close();
    clients.set(index, client);
  };
  /** A few at a time, or handshakes would wait for each other until they are too late. */
  const openAll = async () => {
    const indexes = Array.from({ length: attack.connections }, (_, index) => index);
    const openNext = async () => {
      for (let index = indexes.shift(); index !== undefined && !state.isOver; index = indexes.shift()) {
        state.ended += clients.get(index)?.ended() ?? 0;
        clients.get(index)?.close();
        await open(index);
      }
    };
    await Promise.all(Array.from({ length: HANDSHAKES_AT_A_TIME }, openNext));
  };
  void openAll();
  /** Opens again what was sent away. */
  const openEnded = async () => {
    for (const [index, client] of clients) {
      if (client.isOpen() || state.isOver) continue;
      state.ended += client.ended();
      clients.delete(index);
      await open(index);
    }
  };
  const timers = [
    setInterval(() => void openEnded(), COME_BACK_MS),
    ...(attack.reconnectMs === undefined ? [] : [setInterval(() => void openAll(), attack.reconnectMs)]),
  ];
  return {
    describe: () => ({
      open: [...clients.values()].filter((client) => client.isOpen()).length,
      ended: [...clients.values()].reduce((sum, client) => sum + client.ended(), state.ended),
    }),
    stop: () => {
      state.isOver = true;
      for (const timer of timers) clearInterval(timer);
      for (const client of clients.values()) client.close();
    },
  };
}

/**
 * One edge is asked for files by clients that do not take them, each kind of them against an edge of its own. It must not
 * end, take more memory than the container of an edge has, or hold descriptors besides those of its connections; and visitors
 * of another site are served all the time.
 */

const ATTACK_MS = 30_000;
const LOOK_MS = 500;
const VISIT_LIMIT_MS = 10_000;
/** Memory that docker-compose.yml gives an edge. */
const MEMORY_BYTES = 512 * 1024 * 1024;
/** Descriptors of the program itself, and of reads from the storage that are under way: `storageReads` of the edge. */
const BESIDES_CONNECTIONS = 32 + 128;
const VISITED = ['/', '/medium.bin', '/large-1.bin'] as const;
const LONG_ONES_SHARE = 5;
/** Address nobody attacks from. */
const VISITOR = '127.0.9.9';

export async function* chaosSlowReaders({ rounds, only }: ChaosOptions): AsyncGenerator<Round> {
  const chosen = Object.entries<Attack>(attacks).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`there is no attack ${only ?? ''}: ${Object.keys(attacks).join(', ')}`);
  for (const [name, attack] of chosen) {
    for (let round = 0; round < Math.ceil(rounds / LONG_ONES_SHARE); round++) yield await withstand(name, attack);
  }
}

async function withstand(name: string, attack: Attack): Promise<Round> {
  // All visitors that there are come from this machine.
  const edge = await startEdgeProcess({ EDGE_HANDSHAKES_PER_ADDRESS: '0', LOG_LEVEL: 'warn' });
  const attacking = begin(attack, edge);
  const failed: string[] = [];
  let peak: EdgeSample = { rssBytes: 0, descriptors: 0 };
  try {
    for (const until = Date.now() + ATTACK_MS; Date.now() < until && edge.isRunning();) {
      await sleep(LOOK_MS);
      if (edge.isRunning()) peak = higher(peak, edge.sample());
      for (const path of VISITED) {
        const seen = await visit(edge, path);
        if (seen !== 200) failed.push(`a visitor got ${seen} for ${path}`);
      }
    }
    const most = attack.connections + BESIDES_CONNECTIONS;
    const seen = [
      ...failed.slice(0, 3),
      ...(edge.isRunning() ? [] : ['the edge has ended']),
      ...(peak.rssBytes < MEMORY_BYTES ? [] : ['it took more memory than it has']),
      ...(peak.descriptors < most ? [] : [`it held more than ${most} descriptors`]),
    ];
    const remark = `${attack.connections} connections: ${Math.round(peak.rssBytes / 2 ** 20)} MB, ${peak.descriptors} descriptors`;
    return { name, seen, lost: failed.length, duplicated: null, recoveredMs: null, remark };
  } finally {
    attacking.stop();
    await edge.stop();
  }
}

function higher(one: EdgeSample, other: EdgeSample): EdgeSample {
  return {
    rssBytes: Math.max(one.rssBytes, other.rssBytes),
    descriptors: Math.max(one.descriptors, other.descriptors),
  };
}

/** @returns the status, or what went wrong */
function visit({ httpsPort: port }: EdgeProcess, path: string): Promise<number | string> {
  const place = { host: '127.0.0.1', port, localAddress: VISITOR, servername: OTHER, headers: { host: OTHER } };
  return new Promise((resolve) => {
    const asking = request({ ...place, path, rejectUnauthorized: false, agent: false, timeout: VISIT_LIMIT_MS });
    asking.on('error', (error) => resolve(error.message));
    asking.on('timeout', () => asking.destroy(new Error('nothing in time')));
    asking.on('response', (response) => {
      response.on('error', (error) => resolve(error.message));
      response.on('end', () => resolve(response.statusCode ?? 0)).resume();
    });
    asking.end();
  });
}
