import { makeBatch } from './certificate-set.js';

/** `make-certificates-main.js FOLDER BATCH…`: one of the processes that make a set of certificates. */
const [folder = '', ...batches] = process.argv.slice(2);
for (const batch of batches) await makeBatch(folder, Number(batch));
