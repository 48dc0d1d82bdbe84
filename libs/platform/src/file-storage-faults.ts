import type { Disk } from 'flydrive';

/** The size of a file; undefined when the error says that it does not exist. */
export async function sizeOf(
  disk: Disk,
  key: string,
  isAbsent: (error: unknown) => boolean,
): Promise<number | undefined> {
  try {
    return (await disk.getMetaData(key)).contentLength;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** A property of the cause of an error: the library wraps the errors of the system and the service. */
export function causeOf(error: unknown, property: string): unknown {
  return memberOf(memberOf(error, 'cause'), property);
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
