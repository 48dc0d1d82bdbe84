#!/usr/bin/env node
/** The `pets` command. Says what it needs: before anything is loaded that an older Node cannot read, and if a file is missing. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`pets needs Node 20.19 or newer; this is ${process.version}.\n`);
  process.exit(2);
}
try {
  await import('../dist/main.js');
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const [reason] = error.message.split(' imported from ');
  process.stderr.write(
    `pets is not completely installed: ${reason}. Install it again; in its repository, run npm start.\n`,
  );
  process.exit(2);
}
