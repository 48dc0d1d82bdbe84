/**
 * The health check of the images: `node healthy.mjs URL` exits with 0 if the URL answers with success in time. The images
 * have no curl.
 */
const LIMIT_MS = 2_500;

const [url] = process.argv.slice(2);
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (!response.ok) fail(`${response.status} ${(await response.text()).trim()}`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

/** The container's state shows the printed text. */
function fail(reason) {
  process.stdout.write(`${url}: ${reason}\n`);
  process.exitCode = 1;
}
