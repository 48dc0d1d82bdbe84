import { operations, type Operation } from '@pets/contracts';

const byRoute: ReadonlyMap<string, Operation> = new Map(
  Object.values<Operation>(operations).map((operation) => [
    `${operation.method.toUpperCase()} ${templateOf(operation.path)}`,
    operation,
  ]),
);

/** A path as the router writes it: `/v1/pets/:petId`. A colon of the path itself is doubled. */
function templateOf(path: string): string {
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The operation of a route in the catalog. HEAD is the operation of GET. */
export function operationOf(method: string, route: string): Operation | undefined {
  return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${route}`);
}

/** Whether a method writes (RFC 9110 §9.2.1 calls the others safe; of those, routes have GET and HEAD). */
export function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
