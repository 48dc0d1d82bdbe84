import { createSocket } from 'node:dgram';
import { replyTo } from './known-names.js';

const [port = '', platformDomain = ''] = process.argv.slice(2);

const socket = createSocket('udp4');
socket.on('message', (query, from) => {
  const reply = replyTo(query, platformDomain, Date.now());
  if (reply !== null) socket.send(reply, from.port, from.address);
});
socket.bind(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
