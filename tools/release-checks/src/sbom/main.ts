/** `npm run sbom`: writes what is delivered to dist/sbom.cdx.json. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '../repository.js';
import { billOfMaterials, deliveredApps, readLock } from './bill-of-materials.js';

const file = join(REPOSITORY, 'dist/sbom.cdx.json');
const bill = billOfMaterials(readLock(), deliveredApps);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
process.stdout.write(`${bill.components.length} components: ${file}\n`);
