/**
 * The health check of the images: `node healthy.mjs URL` ends well when the URL answers with success in time. The
 * images have no curl, and Node is there anyway.
 */
const LIMIT_MS = 2_500;

const [url] = process.argv.slice(2);
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (!response.ok) fail(`${response.status} ${(await response.text()).trim()}`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

/** What is printed stands in the state of the container, for whoever asks why it is unhealthy. */
function fail(reason) {
  process.stdout.write(`${url}: ${reason}\n`);
  process.exitCode = 1;
}
