/** A random local address (127.0.0.0/8) for one visitor, because the edge limits what one address may use. */
export function visitorAddress(): string {
  const part = () => 1 + Math.floor(Math.random() * 254);
  return `127.${part()}.${part()}.${part()}`;
}
