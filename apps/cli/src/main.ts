/**
 * The `pets` command. A command line is parsed (`program/`), its command gathers what it needs from the API or from DNS,
 * judges by pure rules, and ends in one report (`outcome/`), which is then said for people or as one JSON document.
 * Nothing is kept between two commands but what `pets login` writes.
 */
import { interrupted, run } from './program/run.js';
import { exitCodes } from './outcome/exit-codes.js';
import { environmentSchema } from './settings/environment.js';

const { stdin, stdout, stderr } = process;
const streams = { stdin, stdout, stderr };
const args = process.argv.slice(2);

/** Of a command that was cut short because nobody reads any more: 128 and the number of SIGPIPE, as shells have it. */
const BROKEN_PIPE = 141;

// Whoever reads has gone, as `head` does when it has enough: nothing is left to be said.
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? BROKEN_PIPE);
  });

process.once('SIGINT', () => {
  process.exitCode = exitCodes.interrupted;
  interrupted({ args, streams });
  process.exit();
});

process.exitCode = await run({ args, environment: environmentSchema.parse(process.env), streams });
// A prompt or a pooled connection must not keep the process; what was written is on its way out first.
await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
process.exit();
