import { moduleOf } from './unknown-fields.js';
import type { Manifest } from './manifest.js';

/** What a module of the models exports for its kind. */
type Model = new (resource: Manifest) => { validate(): void };

/** @throws Error saying what the schema of its kind has against it */
export async function validate(manifest: Manifest): Promise<void> {
  // By the convention of the packages: the module of a kind exports a class of that name.
  const { [manifest.kind]: KindModel } = (await import(moduleOf(manifest))) as Record<string, Model>;
  if (KindModel === undefined) throw new Error(`${moduleOf(manifest)} has no ${manifest.kind}`);
  new KindModel(manifest).validate();
}
