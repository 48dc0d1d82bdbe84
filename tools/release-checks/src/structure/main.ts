/** `npm run structure`: prints how the sources are cut into files and folders. */
import { measureStructure } from './structure.js';

process.stdout.write(`${JSON.stringify(measureStructure(), null, 2)}\n`);
