import { useState, type ComponentType } from 'react';
import { strings } from '../strings.js';
import { announce } from './announcer.js';

/**
 * A component whose script loads when it is first used. Until it is there, the button that was pressed stays and keeps the
 * focus.
 * @param onFailure called when it cannot be loaded, after the message to the user
 * @returns the component, null before; and what the button calls
 */
export function useOnDemand<Props>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  onFailure?: () => void,
): readonly [ComponentType<Props> | null, () => void] {
  const [component, setComponent] = useState<ComponentType<Props> | null>(null);
  const start = () =>
    void load().then(
      (module) => setComponent(() => module.default),
      () => {
        announce(strings.failures.notLoaded);
        onFailure?.();
      },
    );
  return [component, start];
}
