import { useState, type ComponentType } from 'react';
import { strings } from '../strings.js';
import { announce } from './announcer.js';

/**
 * A component whose script loads when it is first used. Until it is there, the button that was pressed stays and keeps the
 * focus.
 * @returns the component, null before; and what the button calls
 */
export function useOnDemand<Props>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): readonly [ComponentType<Props> | null, () => void] {
  const [component, setComponent] = useState<ComponentType<Props> | null>(null);
  const start = () =>
    void load().then(
      (module) => setComponent(() => module.default),
      () => announce(strings.failures.notLoaded),
    );
  return [component, start];
}
