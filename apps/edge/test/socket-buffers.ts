import { readFile } from 'node:fs/promises';

/** The most that the system keeps for a connection whose client does not read, in bytes. */
export async function bufferLimit(): Promise<number> {
  const limits = ['tcp_rmem', 'tcp_wmem'].map(async (name) => {
    const text = await readFile(`/proc/sys/net/ipv4/${name}`, 'utf8');
    return Number(text.trim().split(/\s+/)[2]);
  });
  return (await Promise.all(limits)).reduce((sum, limit) => sum + limit, 0);
}
