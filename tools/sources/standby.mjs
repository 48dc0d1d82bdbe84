/**
 * The next process of a service, waiting for its start: it has loaded the npm packages that the service uses, which is most
 * of the time that a start takes. Argument: the list of what the running process has loaded (`register.mjs`).
 *
 * `prepare` loads the imports of the program while the previous process stops; `start` runs the program.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [list, program, ...args] = process.argv.slice(2);
const listed = readFileSync(list, 'utf8').split('\n');
const named = (kind) => listed.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1));

// A package that fails here fails again where it is imported, with an error that names the place.
for (const url of named('package')) await import(url).catch(() => undefined);

const exit = () => process.exit();

process.on('message', async (message) => {
  if (message === 'prepare') {
    for (const url of named('program')) await import(url).catch(() => undefined);
    process.send('prepared');
  } else {
    process.removeAllListeners('message').removeListener('disconnect', exit).disconnect();
    process.argv.splice(1, process.argv.length, program, ...args);
    await import(pathToFileURL(program).href);
  }
});
process.once('disconnect', exit);
process.send('waiting');
