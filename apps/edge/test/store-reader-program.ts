/** Answers each host on its standard input with the content hash in the store; `open FILE` changes the file. */
import { createInterface } from 'node:readline';
import { RouteReader } from '../src/store/route-cache.js';

const [file = ''] = process.argv.slice(1);
let reader = new RouteReader(file);
process.stdout.write('ready\n');
for await (const line of createInterface(process.stdin)) {
  if (line.startsWith('open ')) {
    reader.close();
    reader = new RouteReader(line.slice('open '.length));
    process.stdout.write('opened\n');
    continue;
  }
  const serve = reader.find(line)?.serve;
  process.stdout.write(`${serve?.kind === 'site' ? serve.contentHash : 'none'}\n`);
}
