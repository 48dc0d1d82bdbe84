/**
 * The reaper: a process in a session of its own that outlives its owner by a moment, so that an owner which is killed
 * outright leaves no orphans. The owner sends it every process group over standard input, one JSON object a line; the
 * end of that input means that the owner is gone. Then all groups are ended by rank, politely first, and it exits.
 *
 * It stands alone on purpose (no imports of ours, only erasable types), so that tests can run it from its source.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

type Group = { pid: number; stopSignals: NodeJS.Signals[]; stopTimeoutMs: number; stopRank: number };
type Message = ({ op: 'add' } & Group) | { op: 'remove'; pid: number } | { op: 'file' | 'folder'; path: string };

const POLL_MS = 20;
const groups = new Map<number, Group>();
const files = new Set<string>();
const folders = new Set<string>();

// The owner's terminal may hang up, and Ctrl-C may reach us: only the end of the input counts.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

createInterface({ input: process.stdin })
  .on('line', (line) => obey(JSON.parse(line) as Message)) // written by our own `startReaper`
  .on('close', () => void endAll().then(() => process.exit(0)));

function obey(message: Message): void {
  switch (message.op) {
    case 'add':
      groups.set(message.pid, message);
      return;
    case 'remove':
      groups.delete(message.pid);
      return;
    case 'file':
      files.add(message.path);
      return;
    case 'folder':
      folders.add(message.path);
      return;
  }
}

async function endAll(): Promise<void> {
  for (const path of files) rmSync(path, { force: true });
  const ranks = [...new Set([...groups.values()].map((group) => group.stopRank))].sort((a, b) => a - b);
  for (const rank of ranks) {
    await Promise.all([...groups.values()].filter((group) => group.stopRank === rank).map(endGroup));
  }
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}

async function endGroup({ pid, stopSignals, stopTimeoutMs }: Group): Promise<void> {
  for (const signal of [...stopSignals, 'SIGKILL' as const]) {
    if (!send(pid, signal)) return;
    for (let waited = 0; waited < stopTimeoutMs; waited += POLL_MS) {
      if (!isGroupAlive(pid)) return;
      await sleep(POLL_MS);
    }
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false; // the group is gone
  }
}

/** A zombie that nobody reaps (a container without an init) still answers to signals, but is not alive. */
function isGroupAlive(pid: number): boolean {
  if (!send(pid, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const [state, , group] = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return Number(group) === pid && state !== 'Z' && state !== 'X';
    } catch {
      return false; // ended while we looked
    }
  });
}
