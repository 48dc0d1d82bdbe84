import { noOpQueues, noOpWorkers, openNoOpQueues } from './no-op-messages.js';

const [store, url] = process.argv.slice(2);
const queues = openNoOpQueues(store === 'redis' ? { redisUrl: url } : { databaseUrl: url });
await queues.process(noOpQueues.jobs, noOpWorkers.jobs, () => queues.add(noOpQueues.events, 1));
process.stdout.write('ready\n');
