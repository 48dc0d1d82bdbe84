import { ATTACKED } from './edge-process.js';
import { openHttp1, openHttp2, type SlowClient, type Target } from './slow-client.js';

/** One way of being slow, on so many connections. */
export interface Attack {
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
export const attacks = {
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
export function begin(attack: Attack, ports: { readonly httpPort: number; readonly httpsPort: number }): RunningAttack {
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
