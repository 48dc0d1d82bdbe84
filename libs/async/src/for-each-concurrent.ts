/**
 * Runs a task for each item, at most `concurrency` at a time, and begins them in order. A task that rejects does not stop the
 * others. @throws the error of the first task that rejects, while others may still run
 */
export async function forEachConcurrent<Item>(
  items: Iterable<Item>,
  concurrency: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const next = [...items].values();
  const run = async () => {
    for (const item of next) await task(item);
  };
  await Promise.all(Array.from({ length: concurrency }, run));
}
