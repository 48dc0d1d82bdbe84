import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { waitUntil } from '@pets/testing';
import { sharedReaper, startChild } from '@pets/testing/processes';

const LIMIT_BYTES = 256 * 1024 * 1024;

/** Every key with every value, of whatever type. */
const DUMP = `
local out = {}
local function add(value)
  if type(value) == 'table' then for _, part in ipairs(value) do add(part) end else out[#out + 1] = tostring(value) end
end
for _, key in ipairs(redis.call('keys', '*')) do
  local kind = redis.call('type', key)['ok']
  out[#out + 1] = key .. ' ' .. kind
  if kind == 'string' then add(redis.call('get', key))
  elseif kind == 'hash' then add(redis.call('hgetall', key))
  elseif kind == 'list' then add(redis.call('lrange', key, 0, -1))
  elseif kind == 'set' then add(redis.call('smembers', key))
  elseif kind == 'zset' then add(redis.call('zrange', key, 0, -1))
  elseif kind == 'stream' then add(redis.call('xrange', key, '-', '+'))
  else error('keys of type ' .. kind .. ' are not read') end
end
return table.concat(out, '\\n')`;

export async function dumpRedis(port: number): Promise<string> {
  const options = { maxBuffer: LIMIT_BYTES, timeout: 10_000 };
  const { stdout } = await promisify(execFile)('redis-cli', ['-p', String(port), '--raw', 'eval', DUMP, '0'], options);
  return stdout;
}

/** Records all commands that clients send to Redis from now on, so that values deleted before the end are included. */
export async function monitorRedis(
  port: number,
): Promise<{ readonly lines: readonly string[]; stop(): Promise<void> }> {
  const lines: string[] = [];
  const child = startChild(
    {
      name: 'redis-cli',
      command: 'redis-cli',
      args: ['-p', String(port), 'monitor'],
      env: { PATH: process.env['PATH'] ?? '' },
      stopSignals: ['SIGTERM'],
      stopTimeoutMs: 5_000,
      stopRank: 0,
    },
    { reaper: sharedReaper(), onLine: (_name, line) => void lines.push(line) },
  );
  await waitUntil(() => lines[0] === 'OK', { message: 'Redis to be monitored' });
  return { lines, stop: () => child.stop() };
}
