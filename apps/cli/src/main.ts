/**
 * The `pets` command. `program/` parses the command line. A command reads from the API or from DNS, evaluates by pure
 * rules, and returns one report (`outcome/`), which is printed as text or as one JSON document. Only `pets login` stores
 * anything.
 */
import { exitCodes } from './outcome/outcome.js';
import { interrupted, run } from './program/run.js';
import { environmentSchema } from './settings/settings.js';

const { stdin, stdout, stderr } = process;
const streams = { stdin, stdout, stderr };
const args = process.argv.slice(2);

/** 128 and the number of SIGPIPE, as in shells. */
const BROKEN_PIPE_EXIT_CODE = 141;

// The reader of a pipe has exited, as `head` does.
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? BROKEN_PIPE_EXIT_CODE);
  });

process.once('SIGINT', () => {
  process.exitCode = exitCodes.interrupted;
  interrupted({ args, streams });
  process.exit();
});

process.exitCode = await run({ args, environment: environmentSchema.parse(process.env), streams });
// Flush the output, then exit: a prompt or a pooled connection would keep the process alive.
await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
process.exit();
