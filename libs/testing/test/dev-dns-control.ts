/**
 * Sends a request to the control API of the development DNS server.
 * @param body sent as it is if it is text, and else as JSON
 */
export async function sendControl(controlUrl: string, method: string, path: string, body?: unknown) {
  const init =
    body === undefined ? { method } : { method, body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await fetch(`${controlUrl}${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}
